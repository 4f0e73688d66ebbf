/** Rows that have served their time are deleted: events, sessions, codes, requests of apps. */
import { Violation } from '../acts/act.ts'
import type { World } from '../world/world.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** The jobs that delete them run each minute. */
const doneMs = 4 * minuteMs

interface Kept {
  readonly rows: string
  readonly column: string
  /** Milliseconds for which a row is kept after the time in its column. */
  readonly ms: number
  /** Whether the column has milliseconds, and no text. */
  readonly isNumber?: boolean
}

const kept: readonly Kept[] = [
  // Later ones may be older, because the clock was behind. They are deleted in their order.
  {
    rows: '(SELECT * FROM events ORDER BY seq LIMIT 1)',
    column: 'created_at',
    ms: 3 * dayMs,
    isNumber: true,
  },
  { rows: 'sessions', column: 'expires_at', ms: 0 },
  { rows: 'mail_tokens', column: 'expires_at', ms: dayMs },
  { rows: 'oauth_requests', column: 'expires_at', ms: 0 },
  { rows: 'oauth_assertions', column: 'expires_at', ms: 0 },
]

export async function checkExpiry(world: World): Promise<void> {
  for (const { name, running, wasSet, now } of world.machines) {
    const { store, clock } = running.services
    // While it doubts its clock, a server deletes nothing by age.
    if (wasSet || !clock.isPlausible()) continue
    for (const { rows, column, ms, isNumber = false } of kept) {
      const before = new Date(now().getTime() - ms - doneMs)
      const limit = isNumber ? before.getTime() : before.toISOString()
      const { n } = store.get<{ n: number }>(`SELECT count(*) AS n FROM ${rows} WHERE ${column} < ?`, [
        limit,
      ]) ?? { n: 0 }
      if (n > 0) throw new Violation(`${name} keeps ${n} of ${rows} from before ${before.toISOString()}`)
    }
  }
}
