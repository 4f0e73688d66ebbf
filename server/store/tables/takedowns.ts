/**
 * Tables `taken_down_records` and `taken_down_blobs`: records and blobs of accounts here that the administrator took down. Views and
 * reading methods leave them out, repositories keep them. A mark goes with its row (foreign keys); triggers hide the notifications.
 */
import { cidBytes } from '../../util/cid.ts'
import type { Reader, Writer } from '../database.ts'
import { actorId } from './actors.ts'

export interface Takedown {
  /** Free text of the administrator. */
  readonly ref: string | null
}

/** SQL condition: the record with this id is not taken down. @param id SQL expression */
export const isNotTakenDown = (id: string) =>
  `NOT EXISTS (SELECT 1 FROM taken_down_records WHERE record = ${id})`

/** SQL condition: the blob `b` is not taken down. */
export const isBlobShown =
  'NOT EXISTS (SELECT 1 FROM taken_down_blobs t WHERE t.account = b.account AND t.cid = b.cid)'

export function ofRecord(db: Reader, id: number): Takedown | undefined {
  return db.get<Takedown>('SELECT ref FROM taken_down_records WHERE record = ?', [id])
}

/** @param takedown undefined: lifts it */
export function setOfRecord(tx: Writer, id: number, takedown: Takedown | undefined): void {
  if (!takedown) return void tx.run('DELETE FROM taken_down_records WHERE record = ?', [id])
  tx.run(
    'INSERT INTO taken_down_records (record, ref) VALUES (?, ?) ON CONFLICT DO UPDATE SET ref = excluded.ref',
    [id, takedown.ref],
  )
}

export function ofBlob(db: Reader, did: string, cid: string): Takedown | undefined {
  return db.get<Takedown>(`SELECT ref FROM taken_down_blobs WHERE account = ${actorId} AND cid = ?`, [
    did,
    cidBytes(cid),
  ])
}

/** @param takedown undefined: lifts it */
export function setOfBlob(tx: Writer, did: string, cid: string, takedown: Takedown | undefined): void {
  const key = [did, cidBytes(cid)]
  if (!takedown)
    return void tx.run(`DELETE FROM taken_down_blobs WHERE account = ${actorId} AND cid = ?`, key)
  tx.run(
    `INSERT INTO taken_down_blobs (account, cid, ref) VALUES (${actorId}, ?, ?)
     ON CONFLICT DO UPDATE SET ref = excluded.ref`,
    [...key, takedown.ref],
  )
}
