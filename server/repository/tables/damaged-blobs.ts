/**
 * Table `damaged_blobs`: blobs whose file is missing or damaged, without a good copy. They count as missing until an account
 * uploads them again. Accounts share files, so a mark is of the file. It goes with the last row of its blob (trigger).
 */

import type { Reader, Writer } from '../../store/database.ts'
import { cidBytes, cidText } from '../../util/cid.ts'

export function isMarked(db: Reader, cid: string): boolean {
  return db.get('SELECT 1 FROM damaged_blobs WHERE cid = ?', [cidBytes(cid)]) !== undefined
}

/** Returns the CIDs of all marked blobs. */
export function all(db: Reader): string[] {
  const rows = db.all<{ cid: Uint8Array }>('SELECT cid FROM damaged_blobs ORDER BY cid')
  return rows.map(({ cid }) => cidText(cid))
}

/** Marks a blob if an account still has it. @param foundAt milliseconds since 1970 */
export function mark(tx: Writer, cid: string, foundAt: number): void {
  tx.run(
    `INSERT INTO damaged_blobs (cid, found_at) SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM blobs WHERE cid = ?1)
     ON CONFLICT DO NOTHING`,
    [cidBytes(cid), foundAt],
  )
}

export function clear(tx: Writer, cid: string): void {
  tx.run('DELETE FROM damaged_blobs WHERE cid = ?', [cidBytes(cid)])
}
