/** Table `secrets`: the keys that make this server this server. They live in the store so that a backup is whole. */
import type { Reader, Writer } from '../database.ts'

export function find(db: Reader, name: string): Uint8Array | undefined {
  return db.get<{ value: Uint8Array }>('SELECT value FROM secrets WHERE name = ?', [name])?.value
}

export function insert(tx: Writer, name: string, value: Uint8Array): void {
  tx.run('INSERT INTO secrets (name, value) VALUES (?, ?)', [name, value])
}
