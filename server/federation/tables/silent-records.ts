/**
 * Table `silent_records`: records of other servers that were read from a repository, and have not notified as they are now. If an
 * event reports one later, it notifies then.
 */
import type { Writer } from '../../store/database.ts'

export function add(tx: Writer, record: number): void {
  tx.run('INSERT INTO silent_records (record) VALUES (?) ON CONFLICT DO NOTHING', [record])
}

/** Removes a record. @returns whether it was there */
export function take(tx: Writer, record: number): boolean {
  return tx.get('DELETE FROM silent_records WHERE record = ? RETURNING record', [record]) !== undefined
}
