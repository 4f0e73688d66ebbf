/** Table `plc_operations`: operations after the first one of an identity that no directory has yet. */

import type { Reader, Writer } from '../../store/database.ts'
import type { DatetimeString } from '../../util/time.ts'

export interface StoredOperation {
  /** JSON. */
  readonly operation: string
  readonly createdAt: DatetimeString
}

/** Returns the operations of an account in order. */
export function list(db: Reader, did: string): StoredOperation[] {
  return db.all(
    'SELECT operation, created_at AS createdAt FROM plc_operations WHERE did = ? ORDER BY number',
    [did],
  )
}

/** Returns the last operation; undefined if none follows the first. */
export function findLast(db: Reader, did: string): string | undefined {
  return db.get<{ operation: string }>(
    'SELECT operation FROM plc_operations WHERE did = ? ORDER BY number DESC LIMIT 1',
    [did],
  )?.operation
}

/** @param operation JSON */
export function append(tx: Writer, did: string, operation: string, createdAt: DatetimeString): void {
  tx.run(
    `INSERT INTO plc_operations (did, number, operation, created_at)
     SELECT ?1, 1 + coalesce(max(number), 0), ?2, ?3 FROM plc_operations WHERE did = ?1`,
    [did, operation, createdAt],
  )
}
