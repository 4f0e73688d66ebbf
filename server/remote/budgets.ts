/** Limits of what the actors of other servers can make this server store. */
import { LRUCache } from 'lru-cache'
import { paths } from '../store/link-paths.ts'
import type { Link } from '../store/tables/links.ts'
import type { Logger } from '../util/log.ts'

const hourMs = 60 * 60_000

/** New and changed records in an hour. */
const limits = {
  /** Of one author; records that arrive silently do not count. */
  author: 300,
  /** Likes and reposts of one record. */
  subject: 1_000,
  /** From one source. */
  source: 20_000,
} as const

type Kind = keyof typeof limits

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
  isSpent(record: Pick<BudgetedRecord, 'source' | 'did'>, linksOf: () => readonly Link[]): boolean
}

export interface BudgetedRecord {
  /** Origin of the source. */
  readonly source: string
  readonly did: string
  readonly links: readonly Link[]
  /** Whether it may notify. */
  readonly notify: boolean
}

interface Deps {
  readonly now: () => Date
  readonly log: Logger
}

export function createBudgets({ now, log }: Deps): Budgets {
  const windows = new LRUCache<string, Window>({ max: maxWindows })
  /** When a record was last refused, in milliseconds since 1970. */
  let refusedAt = Number.NEGATIVE_INFINITY

  function take(kind: Kind, name: string): boolean {
    const at = now().getTime()
    const key = `${kind} ${name}`
    let window = windows.get(key)
    if (!window || at - window.startedAt >= hourMs || at < window.startedAt) {
      window = { startedAt: at, count: 0 }
      windows.set(key, window)
    }
    window.count++
    const limit = limits[kind]
    if (window.count > limit) refusedAt = at
    if (window.count === limit + 1) log.warn({ [kind]: name, limit }, 'budget of remote records exceeded')
    return window.count <= limit
  }

  function isUsedUp(kind: Kind, name: string): boolean {
    const window = windows.peek(`${kind} ${name}`)
    const age = now().getTime() - (window?.startedAt ?? 0)
    return window !== undefined && age >= 0 && age < hourMs && window.count >= limits[kind]
  }

  return {
    take({ source, did, links, notify }) {
      const subject = subjectOf(links)
      if (notify && !take('author', did)) return false
      if (subject !== undefined && !take('subject', subject)) return false
      return take('source', source)
    },
    isSpent({ source, did }, linksOf) {
      if (now().getTime() - refusedAt >= hourMs) return false
      if (isUsedUp('source', source) || isUsedUp('author', did)) return true
      const subject = subjectOf(linksOf())
      return subject !== undefined && isUsedUp('subject', subject)
    },
  }
}

/** Returns the name of the record that a like or repost is of. */
function subjectOf(links: readonly Link[]): string | undefined {
  const link = links.find(({ path }) => path === paths.like || path === paths.repost)
  return link?.record && `at://${link.did}/${link.record.rkey}`
}
