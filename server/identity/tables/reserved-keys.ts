/** Table `reserved_keys`: signing keys for accounts that will be imported. */

import type { Reader, Writer } from '../../store/database.ts'
import type { DidKey, SigningKey } from '../../util/keys.ts'

export interface ReservedKey {
  readonly did: string
  readonly keyDid: DidKey
}

export function find(db: Reader, did: string): SigningKey | undefined {
  return db.get<{ did: DidKey; privateKey: Uint8Array }>(
    'SELECT key_did AS did, private_key AS privateKey FROM reserved_keys WHERE did = ?',
    [did],
  )
}

export function count(db: Reader): number {
  return db.get<{ count: number }>('SELECT count(*) AS count FROM reserved_keys')?.count ?? 0
}

/** The times of a reservation. */
interface Period {
  readonly at: string
  /** It is kept at least until then. */
  readonly expiresAt: string
}

export function insert(tx: Writer, did: string, key: SigningKey, { at, expiresAt }: Period): void {
  tx.run(
    'INSERT INTO reserved_keys (did, key_did, private_key, reserved_at, expires_at) VALUES (?, ?, ?, ?, ?)',
    [did, key.did, key.privateKey, at, expiresAt],
  )
}

export function remove(tx: Writer, did: string): void {
  tx.run('DELETE FROM reserved_keys WHERE did = ?', [did])
}

/** Returns the keys whose period is over, the earliest first. */
export function due(db: Reader, now: string, limit: number): ReservedKey[] {
  return db.all<ReservedKey>(
    'SELECT did, key_did AS keyDid FROM reserved_keys WHERE expires_at <= ? ORDER BY expires_at, did LIMIT ?',
    [now, limit],
  )
}

/** Deletes a key, unless it is used or kept meanwhile. */
export function removeDue(tx: Writer, { did, keyDid }: ReservedKey, now: string): void {
  tx.run('DELETE FROM reserved_keys WHERE did = ? AND key_did = ? AND expires_at <= ?', [did, keyDid, now])
}

/** @param isNamed whether the document of the DID has the key */
export function keep(tx: Writer, { did, keyDid }: ReservedKey, isNamed: boolean, until: string): void {
  tx.run('UPDATE reserved_keys SET expires_at = ?, is_named = ? WHERE did = ? AND key_did = ?', [
    until,
    isNamed ? 1 : 0,
    did,
    keyDid,
  ])
}

/** Deletes the oldest key, if it was reserved before a time and no document was found that has it. Returns whether it did. */
export function removeOldest(tx: Writer, before: string): boolean {
  return (
    tx.run(
      `DELETE FROM reserved_keys WHERE did =
         (SELECT did FROM reserved_keys WHERE reserved_at < ? AND is_named = 0 ORDER BY reserved_at, did LIMIT 1)`,
      [before],
    ) > 0
  )
}
