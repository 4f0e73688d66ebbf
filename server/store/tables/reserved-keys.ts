/** Table `reserved_keys`: signing keys for accounts that will be imported. */
import type { DidKey, SigningKey } from '../../identity/keys.ts'
import type { Reader, Writer } from '../database.ts'

export function find(db: Reader, did: string): SigningKey | undefined {
  return db.get<{ did: DidKey; privateKey: Uint8Array }>(
    'SELECT key_did AS did, private_key AS privateKey FROM reserved_keys WHERE did = ?',
    [did],
  )
}

export function insert(tx: Writer, did: string, key: SigningKey, reservedAt: string): void {
  tx.run('INSERT INTO reserved_keys (did, key_did, private_key, reserved_at) VALUES (?, ?, ?, ?)', [
    did,
    key.did,
    key.privateKey,
    reservedAt,
  ])
}

export function remove(tx: Writer, did: string): void {
  tx.run('DELETE FROM reserved_keys WHERE did = ?', [did])
}

export function removeReservedBefore(tx: Writer, at: string): void {
  tx.run('DELETE FROM reserved_keys WHERE reserved_at <= ?', [at])
}
