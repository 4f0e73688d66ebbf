/** Limits of the records that actors of other servers can make this server store. */
import { LRUCache } from 'lru-cache'
import type { Platform } from '../../platform/platform.ts'
import { paths } from '../../repository/format/link-paths.ts'
import type { Link } from '../../repository/tables/links.ts'

const hourMs = 60 * 60_000

/**
 * The standing of an author. `watched`: an account here reads it, or uses a list of it. `established`: a record of it has been stored for a day. Anyone can
 * make thousands of new identities.
 */
export type Standing = 'watched' | 'established' | 'new'

/** New and changed records per hour. Records of watched authors count for the author only. */
const limits = {
  /** Records of one author; records that arrive silently do not count. */
  author: 300,
  /** Likes and reposts of one record. */
  subject: 1_000,
  /** Records from one source. */
  source: 20_000,
} as const

type Kind = keyof typeof limits

/** The share of the budget of a subject or source that new authors may use up. */
const shareOfNew = { subject: 1 / 2, source: 1 / 4 } as const
/** The share of a source's remaining budget that one author may have used: the less is left, the fewer each gets. */
const authorPart = 1 / 50

/** Authors and subjects that are counted at once. */
const maxWindows = 20_000

interface Window {
  readonly startedAt: number
  count: number
}

export interface Budgets {
  /** Counts a record. Returns whether it is within all budgets; the first one beyond a budget is logged. */
  take(record: BudgetedRecord): boolean
  /** Whether a budget of a record is used up, without counting it. @param linksOf called only if necessary */
  isSpent(
    record: Pick<BudgetedRecord, 'source' | 'did' | 'standing'>,
    linksOf: () => readonly Link[],
  ): boolean
}

export interface BudgetedRecord {
  /** Origin of the source. */
  readonly source: string
  readonly did: string
  readonly standing: Standing
  readonly links: readonly Link[]
  readonly notify: boolean
}

type Deps = Pick<Platform, 'now' | 'log'>

export function createBudgets({ now, log }: Deps): Budgets {
  const windows = new LRUCache<string, Window>({ max: maxWindows })
  /** When a record was last refused, in milliseconds since 1970. */
  let refusedAt = Number.NEGATIVE_INFINITY

  /** Counts one, and returns the count of the hour. */
  function add(name: string, limit: number): number {
    const at = now().getTime()
    let window = windows.get(name)
    if (!window || at - window.startedAt >= hourMs || at < window.startedAt) {
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
    return window !== undefined && age >= 0 && age < hourMs ? window.count : 0
  }

  function take(kind: Kind, name: string, limit: number): boolean {
    const count = add(`${kind} ${name}`, limit)
    if (count === limit + 1) log.warn({ [kind]: name, limit }, 'budget of remote records exceeded')
    return count <= limit
  }

  /** Counts a record of an author that no account here reads: new ones share a part of the budget. */
  function takeShared(kind: 'subject' | 'source', name: string, standing: Standing): boolean {
    const ofNew = limits[kind] * shareOfNew[kind]
    if (standing === 'new' && add(`new ${kind} ${name}`, ofNew) > ofNew) return false
    return take(kind, name, limits[kind])
  }

  const isUsedUp = (kind: 'subject' | 'source', name: string, standing: Standing) =>
    countOf(`${kind} ${name}`) >= limits[kind] ||
    (standing === 'new' && countOf(`new ${kind} ${name}`) >= limits[kind] * shareOfNew[kind])

  /** Records that an author may have in the hour. */
  function authorLimit(source: string, standing: Standing): number {
    if (standing === 'watched') return limits.author
    const left = limits.source - countOf(`source ${source}`)
    return Math.min(limits.author, Math.max(1, Math.floor(left * authorPart)))
  }

  return {
    take({ source, did, standing, links, notify }) {
      const subject = subjectOf(links)
      if (notify && !take('author', did, authorLimit(source, standing))) return false
      if (standing === 'watched') return true
      if (subject !== undefined && !takeShared('subject', subject, standing)) return false
      return takeShared('source', source, standing)
    },
    isSpent({ source, did, standing }, linksOf) {
      if (now().getTime() - refusedAt >= hourMs) return false
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
