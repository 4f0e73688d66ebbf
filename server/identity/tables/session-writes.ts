/** Table `session_writes`: how many changes of records each access to an account made, by day. */
import type { Reader, Writer } from '../../store/database.ts'

export interface SessionWrites {
  readonly did: string
  /** A session, or an app password for all of its sessions. */
  readonly access: string
  /** A date in UTC, `YYYY-MM-DD`. */
  readonly day: string
  readonly count: number
}

/** Returns the counts of an account, newest day first. */
export function ofAccount(db: Reader, did: string): SessionWrites[] {
  return db.all<SessionWrites>(
    'SELECT did, access, day, count FROM session_writes WHERE did = ? ORDER BY day DESC, access',
    [did],
  )
}

/** Adds to a count. Does nothing if the account was deleted. */
export function add(tx: Writer, { did, access, day, count }: SessionWrites): void {
  tx.run(
    `INSERT INTO session_writes (did, access, day, count)
     SELECT did, ?, ?, ? FROM accounts WHERE did = ?
     ON CONFLICT (did, access, day) DO UPDATE SET count = count + excluded.count`,
    [access, day, count, did],
  )
}

export function removeBefore(tx: Writer, did: string, day: string): void {
  tx.run('DELETE FROM session_writes WHERE did = ? AND day < ?', [did, day])
}
