/** Table `plc_operations`: operations after the first one of an identity that no directory has yet. */
import type { Reader, Writer } from '../database.ts'

/** Returns the operations of an account as JSON, in order. */
export function list(db: Reader, did: string): string[] {
  const rows = db.all<{ operation: string }>(
    'SELECT operation FROM plc_operations WHERE did = ? ORDER BY number',
    [did],
  )
  return rows.map(({ operation }) => operation)
}

/** Returns the last operation; undefined if none follows the first. */
export function findLast(db: Reader, did: string): string | undefined {
  return db.get<{ operation: string }>(
    'SELECT operation FROM plc_operations WHERE did = ? ORDER BY number DESC LIMIT 1',
    [did],
  )?.operation
}

export function append(tx: Writer, did: string, operation: string): void {
  tx.run(
    `INSERT INTO plc_operations (did, number, operation)
     SELECT ?1, 1 + coalesce(max(number), 0), ?2 FROM plc_operations WHERE did = ?1`,
    [did, operation],
  )
}
