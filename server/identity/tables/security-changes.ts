/** Table `security_changes`: the last changes of what an account signs in and is recovered with, for its holder to see. */
import type { SecurityChange } from '../../platform/mail/templates.ts'
import type { Reader, Writer } from '../../store/database.ts'
import type { DatetimeString } from '../../util/time.ts'

export interface ChangeRow {
  readonly change: SecurityChange
  /** User-Agent of the client; null: unknown. */
  readonly client: string | null
  /** Whether the administrator made it. */
  readonly isAdmin: 0 | 1
  readonly changedAt: DatetimeString
}

/** Rows per account. */
const kept = 20

/** Returns the changes of an account, newest first. */
export function ofAccount(db: Reader, did: string): ChangeRow[] {
  return db.all<ChangeRow>(
    `SELECT change, client, is_admin AS isAdmin, changed_at AS changedAt FROM security_changes
     WHERE did = ? ORDER BY id DESC`,
    [did],
  )
}

/**
 * Adds a change. Does nothing if the account was deleted. Beyond the limit, the oldest change of the most frequent kind is deleted:
 * someone who repeats a change hides no other one.
 */
export function add(tx: Writer, did: string, { change, client, isAdmin, changedAt }: ChangeRow): void {
  tx.run(
    `INSERT INTO security_changes (did, change, client, is_admin, changed_at)
     SELECT did, ?, ?, ?, ? FROM accounts WHERE did = ?`,
    [change, client, isAdmin, changedAt, did],
  )
  tx.run(
    `DELETE FROM security_changes
     WHERE (SELECT count(*) FROM security_changes WHERE did = ?1) > ${kept} AND id = (
       SELECT oldest FROM (SELECT min(id) AS oldest, count(*) AS times FROM security_changes WHERE did = ?1 GROUP BY change)
       ORDER BY times DESC, oldest LIMIT 1)`,
    [did],
  )
}
