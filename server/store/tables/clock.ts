/** Table `clock`: trusted times, to notice a clock that is wrong. All times are milliseconds since 1970. */
import type { Reader, Writer } from '../database.ts'

export interface ClockState {
  /** The newest time that was trusted; null before the first start. */
  readonly trustedAt: number | null
  /** Rows may have times up to this one. */
  readonly furthestAt: number
}

export function find(db: Reader): ClockState {
  const row = db.get<ClockState>('SELECT trusted_at AS trustedAt, furthest_at AS furthestAt FROM clock')
  return row ?? { trustedAt: null, furthestAt: 0 }
}

export function put(tx: Writer, { trustedAt, furthestAt }: ClockState): void {
  tx.run('UPDATE clock SET trusted_at = ?, furthest_at = ?', [trustedAt, furthestAt])
}

/** Returns the newest time of each kind of activity. */
export function lastActivity(db: Reader): number[] {
  const row = db.get<Record<string, number | string | null>>(
    `SELECT (SELECT max(last_used_at) FROM sessions) AS used, (SELECT max(created_at) FROM accounts) AS joined,
       (SELECT created_at FROM events ORDER BY seq DESC LIMIT 1) AS written, (SELECT last FROM notification_clock) AS notified`,
  )
  return Object.values(row ?? {}).flatMap((time) => (time ? [new Date(time).getTime()] : []))
}
