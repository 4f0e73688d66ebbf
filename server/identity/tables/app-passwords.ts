/** Table `app_passwords`. */

import type { Reader, Writer } from '../../store/database.ts'
import type { DatetimeString } from '../../util/time.ts'

export interface AppPassword {
  readonly name: string
  readonly privileged: number
  readonly createdAt: DatetimeString
  readonly lastUsedAt: DatetimeString | null
  /** What its sessions may do, as OAuth scopes; null: everything of their scope. */
  readonly permissions: string | null
}

/** Returns the app passwords of an account, newest first. */
export function ofAccount(db: Reader, did: string): AppPassword[] {
  return db.all<AppPassword>(
    `SELECT name, privileged, created_at AS createdAt, last_used_at AS lastUsedAt, permissions
     FROM app_passwords WHERE did = ? ORDER BY created_at DESC, name`,
    [did],
  )
}

export function count(db: Reader, did: string): number {
  return db.get<{ n: number }>('SELECT count(*) AS n FROM app_passwords WHERE did = ?', [did])?.n ?? 0
}

export function exists(db: Reader, did: string, name: string): boolean {
  return db.get('SELECT 1 FROM app_passwords WHERE did = ? AND name = ?', [did, name]) !== undefined
}

export function findByHash(
  db: Reader,
  did: string,
  hash: Uint8Array,
): Pick<AppPassword, 'name' | 'privileged' | 'permissions'> | undefined {
  return db.get(
    'SELECT name, privileged, permissions FROM app_passwords WHERE password_hash = ? AND did = ?',
    [hash, did],
  )
}

export function insert(
  tx: Writer,
  row: {
    did: string
    name: string
    hash: Uint8Array
    privileged: boolean
    createdAt: string
    permissions: string | null
  },
): void {
  tx.run(
    `INSERT INTO app_passwords (did, name, password_hash, privileged, created_at, permissions)
     VALUES (?, ?, ?, ?, ?, ?)`,
    [row.did, row.name, row.hash, row.privileged ? 1 : 0, row.createdAt, row.permissions],
  )
}

/** Deletes an app password and, by foreign key, its sessions. */
export function remove(tx: Writer, did: string, name: string): void {
  tx.run('DELETE FROM app_passwords WHERE did = ? AND name = ?', [did, name])
}
