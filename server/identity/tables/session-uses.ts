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

/** Returns the counts of a session or app password from the day `since` on. */
export function ofAccess(db: Reader, did: string, access: string, since: string): SessionUses[] {
  return db.all<SessionUses>(
    'SELECT did, access, day, reads, writes, refusals FROM session_uses WHERE did = ? AND access = ? AND day >= ?',
    [did, access, since],
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

/** Returns what the counts of an app password are stored under: all of its sessions have the same. */
export function accessOfAppPassword(name: string): string {
  return `${appPasswordPrefix}${name}`
}

const appPasswordPrefix = 'app password '

/** Removes the counts of days before `day`, and those of sessions and app passwords that have ended. */
export function removeOld(tx: Writer, did: string, day: string): void {
  tx.run(
    `DELETE FROM session_uses WHERE did = ?1 AND (day < ?2
       OR (access NOT IN (SELECT id FROM sessions WHERE did = ?1)
         AND access NOT IN (SELECT '${appPasswordPrefix}' || name FROM app_passwords WHERE did = ?1)))`,
    [did, day],
  )
}
