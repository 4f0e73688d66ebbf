/** Counts the new and changed records of other servers per author, subject and source. */
import { LRUCache } from 'lru-cache'
import type { Platform } from '../../../platform/platform.ts'
import { paths } from '../../../repository/format/link-paths.ts'
import type { Link } from '../../../repository/tables/links.ts'
import type { Reader } from '../../../store/database.ts'
import { upToEntries } from '../../../util/entry-limit.ts'
import * as interest from '../../tables/remote-interest.ts'
import { records as limits } from './numbers.ts'

/**
 * The standing of an author. `watched`: an account here reads it, or uses a list of it. `established`: a record of it has been stored for a
 * day. Anyone can make thousands of new identities.
 */
export type Standing = 'watched' | 'established' | 'new'

type Kind = 'author' | 'subject' | 'source'

/** Authors and subjects that are counted at once. */
const maxWindows = 20_000

interface Window {
  readonly startedAt: number
  count: number
}

export interface Budgets {
  /** Counts a record. Returns whether it is within all budgets; the first one beyond a budget is logged. */
  take(db: Reader, record: BudgetedRecord): boolean
  /** Whether a budget of a record is used up, without counting it. @param linksOf called only if necessary */
  isSpent(db: Reader, record: Pick<BudgetedRecord, 'source' | 'did'>, linksOf: () => readonly Link[]): boolean
}

export interface BudgetedRecord {
  /** Origin of the source. */
  readonly source: string
  readonly did: string
  readonly links: readonly Link[]
  readonly notify: boolean
}

interface Deps extends Pick<Platform, 'now' | 'log'> {
  readonly standingOf?: (db: Reader, did: string) => Standing
}

export function createBudgets({ now, log, standingOf = createStanding(now) }: Deps): Budgets {
  const windows = new LRUCache<string, Window>(upToEntries(maxWindows))
  /** When a record was last refused, in milliseconds since 1970. */
  let refusedAt = Number.NEGATIVE_INFINITY

  /** Counts one, and returns the count of the hour. */
  function add(name: string, limit: number): number {
    const at = now().getTime()
    let window = windows.get(name)
    if (!window || at - window.startedAt >= limits.perMs || at < window.startedAt) {
      window = { startedAt: at, count: 0 }
      windows.set(name, window)
    }
    window.count++
    if (window.count > limit) refusedAt = at
    return window.count
  }

  function countOf(name: string): number {
    const window = windows.peek(name)
    const age = now().getTime() - (window?.startedAt ?? 0)
    return window !== undefined && age >= 0 && age < limits.perMs ? window.count : 0
  }

  function take(kind: Kind, name: string, limit: number): boolean {
    const count = add(`${kind} ${name}`, limit)
    if (count === limit + 1) log.warn({ [kind]: name, limit }, 'budget of remote records exceeded')
    return count <= limit
  }

  /** Counts a record of an author that no account here reads: new ones share a part of the budget. */
  function takeShared(kind: 'subject' | 'source', name: string, standing: Standing): boolean {
    const ofNew = limits[kind] * limits.shareOfNew[kind]
    if (standing === 'new' && add(`new ${kind} ${name}`, ofNew) > ofNew) return false
    return take(kind, name, limits[kind])
  }

  const isUsedUp = (kind: 'subject' | 'source', name: string, standing: Standing) =>
    countOf(`${kind} ${name}`) >= limits[kind] ||
    (standing === 'new' && countOf(`new ${kind} ${name}`) >= limits[kind] * limits.shareOfNew[kind])

  /** Records that an author may have in the hour. */
  function authorLimit(source: string, standing: Standing): number {
    if (standing === 'watched') return limits.author
    const left = limits.source - countOf(`source ${source}`)
    return Math.min(limits.author, Math.max(1, Math.floor(left * limits.shareOfAuthor)))
  }

  return {
    take(db, { source, did, links, notify }) {
      const standing = standingOf(db, did)
      const subject = subjectOf(links)
      if (notify && !take('author', did, authorLimit(source, standing))) return false
      if (standing === 'watched') return true
      if (subject !== undefined && !takeShared('subject', subject, standing)) return false
      return takeShared('source', source, standing)
    },
    isSpent(db, { source, did }, linksOf) {
      if (now().getTime() - refusedAt >= limits.perMs) return false
      const standing = standingOf(db, did)
      if (countOf(`author ${did}`) >= authorLimit(source, standing)) return true
      if (standing === 'watched') return false
      if (isUsedUp('source', source, standing)) return true
      const subject = subjectOf(linksOf())
      return subject !== undefined && isUsedUp('subject', subject, standing)
    },
  }
}

/** Returns the name of the record that a like or repost is of. */
function subjectOf(links: readonly Link[]): string | undefined {
  const link = links.find(({ path }) => path === paths.like || path === paths.repost)
  return link?.record && `at://${link.did}/${link.record.rkey}`
}

const dayMs = 24 * 60 * 60_000
/** Milliseconds for which an author's standing is cached: each event of a burst needs it. */
const keptMs = 60_000
const maxAuthors = 10_000

function createStanding(now: () => Date): (db: Reader, did: string) => Standing {
  const known = new LRUCache<string, { readonly standing: Standing; readonly at: number }>(
    upToEntries(maxAuthors),
  )
  return (db, did) => {
    const at = now().getTime()
    const found = known.get(did)
    if (found && Math.abs(at - found.at) < keptMs) return found.standing
    const standing = lookUpStanding(db, did, at)
    known.set(did, { standing, at })
    return standing
  }
}

function lookUpStanding(db: Reader, did: string, at: number): Standing {
  if (interest.isWatched(db, did) || interest.hasUsedList(db, did)) return 'watched'
  return interest.isStoredSince(db, did, at - dayMs) ? 'established' : 'new'
}
