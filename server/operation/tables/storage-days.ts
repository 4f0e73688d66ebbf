/** Tables `storage_days` and `account_storage_days`: bytes that the server and its accounts used, one row a day. */
import type { Reader, Writer } from '../../store/database.ts'
import { actorId } from '../../store/tables/actors.ts'

export interface StorageDay {
  /** A date in UTC, `YYYY-MM-DD`. */
  readonly day: string
  readonly database: number
  readonly media: number
  readonly backups: number
  /** Of the disk; null: the system does not say. */
  readonly free: number | null
}

export interface AccountStorageDay {
  readonly day: string
  readonly records: number
  readonly media: number
}

/** Returns the days from `since` to `until`, oldest first. */
export function ofServer(db: Reader, since: string, until: string): StorageDay[] {
  return db.all<StorageDay>(
    'SELECT day, database, media, backups, free FROM storage_days WHERE day BETWEEN ? AND ? ORDER BY day',
    [since, until],
  )
}

/** Returns the days of an account from `since` to `until`, oldest first. */
export function ofAccount(db: Reader, did: string, since: string, until: string): AccountStorageDay[] {
  return db.all<AccountStorageDay>(
    `SELECT day, records, media FROM account_storage_days
     WHERE account = ${actorId} AND day BETWEEN ? AND ? ORDER BY day`,
    [did, since, until],
  )
}

/** Keeps the first row of a day. */
export function add(tx: Writer, { day, database, media, backups, free }: StorageDay): void {
  tx.run('INSERT OR IGNORE INTO storage_days (day, database, media, backups, free) VALUES (?, ?, ?, ?, ?)', [
    ...[day, database, media, backups, free],
  ])
}

/** Keeps the first row of a day. Does nothing if the account was deleted. */
export function addOfAccount(tx: Writer, did: string, { day, records, media }: AccountStorageDay): void {
  tx.run(
    `INSERT OR IGNORE INTO account_storage_days (account, day, records, media)
     SELECT id, ?, ?, ? FROM accounts WHERE did = ?`,
    [day, records, media, did],
  )
}

export function removeBefore(tx: Writer, day: string): void {
  tx.run('DELETE FROM storage_days WHERE day < ?', [day])
  // By account: otherwise SQLite reads the days that stay, too. CROSS JOIN keeps the order.
  tx.run(
    `DELETE FROM account_storage_days WHERE (account, day) IN (
       SELECT s.account, s.day FROM accounts a CROSS JOIN account_storage_days s ON s.account = a.id AND s.day < ?)`,
    [day],
  )
}
