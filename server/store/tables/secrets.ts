/** Table `secrets`: keys of the server. They are in the database so that a backup is complete. */
import type { Reader, Writer } from '../database.ts'

export function find(db: Reader, name: string): Uint8Array | undefined {
  return db.get<{ value: Uint8Array }>('SELECT value FROM secrets WHERE name = ?', [name])?.value
}

export function insert(tx: Writer, name: string, value: Uint8Array): void {
  tx.run('INSERT INTO secrets (name, value) VALUES (?, ?)', [name, value])
}
