/**
 * Table `evicted_records`: records of other servers that have notified and were evicted. A source that reports one again must not
 * notify again. Only a hash is stored, because the names would take as much room as the records.
 */
import { createHash } from 'node:crypto'
import type { Reader, Writer } from '../../store/database.ts'
import type { NamedRecord } from './remote-interest.ts'

/** Bytes of a hash: integers of SQLite and of JavaScript hold them exactly. */
const hashBytes = 6

function hashOf({ did, collection, rkey }: NamedRecord): number {
  return createHash('sha256').update(`${did}/${collection}/${rkey}`).digest().readUIntBE(0, hashBytes)
}

/** @param limit rows that are kept, the latest ones */
export function add(tx: Writer, key: NamedRecord, limit: number): void {
  tx.run('INSERT INTO evicted_records (hash) VALUES (?) ON CONFLICT DO NOTHING', [hashOf(key)])
  tx.run('DELETE FROM evicted_records WHERE id <= (SELECT max(id) FROM evicted_records) - ?', [limit])
}

export function has(db: Reader, key: NamedRecord): boolean {
  return db.get('SELECT 1 FROM evicted_records WHERE hash = ?', [hashOf(key)]) !== undefined
}

/** Forgets a record, which its author has deleted. */
export function remove(tx: Writer, key: NamedRecord): void {
  tx.run('DELETE FROM evicted_records WHERE hash = ?', [hashOf(key)])
}
