/** Rows that have served their time are deleted: events, sessions, codes, requests of apps. */
import { Violation } from '../acts/act.ts'
import type { World } from '../world/world.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** The jobs that delete them run each minute. */
const doneMs = 4 * minuteMs

interface Kept {
  readonly table: string
  readonly column: string
  /** Milliseconds for which a row is kept after the time in its column. */
  readonly ms: number
  /** Whether the column has milliseconds, and no text. */
  readonly isNumber?: boolean
}

const kept: readonly Kept[] = [
  { table: 'events', column: 'created_at', ms: 3 * dayMs, isNumber: true },
  { table: 'sessions', column: 'expires_at', ms: 0 },
  { table: 'mail_tokens', column: 'expires_at', ms: dayMs },
  { table: 'oauth_requests', column: 'expires_at', ms: 0 },
  { table: 'oauth_assertions', column: 'expires_at', ms: 0 },
]

export async function checkExpiry(world: World): Promise<void> {
  for (const { name, running, wasSet, now } of world.machines) {
    const { store, clock } = running.services
    // While it doubts its clock, a server deletes nothing by age.
    if (wasSet || !clock.isPlausible()) continue
    for (const { table, column, ms, isNumber = false } of kept) {
      const before = new Date(now().getTime() - ms - doneMs)
      const limit = isNumber ? before.getTime() : before.toISOString()
      const { n } = store.get<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE ${column} < ?`, [
        limit,
      ]) ?? { n: 0 }
      if (n > 0)
        throw new Violation(`${name} keeps ${n} rows of ${table} from before ${before.toISOString()}`)
    }
  }
}
