/** Table `session_uses`: how often each access to an account was used, by day. */
import type { Reader, Writer } from '../../store/database.ts'

export interface UseCounts {
  /** Queries that it sent. */
  readonly reads: number
  /** Changes of records that it made. */
  readonly writes: number
  /** Calls that it was not allowed. */
  readonly refusals: number
}

export interface SessionUses extends UseCounts {
  readonly did: string
  /** A session, or an app password for all of its sessions. */
  readonly access: string
  /** A date in UTC, `YYYY-MM-DD`. */
  readonly day: string
}

export function ofAccount(db: Reader, did: string): SessionUses[] {
  return db.all<SessionUses>(
    'SELECT did, access, day, reads, writes, refusals FROM session_uses WHERE did = ?',
    [did],
  )
}

/** Adds to counts. Does nothing if the account was deleted. */
export function add(tx: Writer, { did, access, day, reads, writes, refusals }: SessionUses): void {
  tx.run(
    `INSERT INTO session_uses (did, access, day, reads, writes, refusals)
     SELECT did, ?, ?, ?, ?, ? FROM accounts WHERE did = ?
     ON CONFLICT (did, access, day) DO UPDATE SET reads = reads + excluded.reads,
       writes = writes + excluded.writes, refusals = refusals + excluded.refusals`,
    [access, day, reads, writes, refusals, did],
  )
}

export function removeBefore(tx: Writer, did: string, day: string): void {
  tx.run('DELETE FROM session_uses WHERE did = ? AND day < ?', [did, day])
}
