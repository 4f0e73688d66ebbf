/** Tables `wanted_records` and `record_checks`: records of other servers that are to be fetched, or compared with their hosts. */
import type { RecordKeyString } from '@atproto/syntax'
import type { RecordName } from '../../repository/tables/records.ts'
import type { Reader, Writer } from '../../store/database.ts'

export interface WantedRecord extends RecordName {
  /** Consecutive failures to fetch it. */
  readonly failures: number
}

/** The record key of a row that stands for the latest records of a collection. */
export const latest = '' as RecordKeyString

/** Rows that may wait. Further rows of a burst are not fetched. */
const maxRows = 2000

/** @param dueAt milliseconds since 1970 */
export function add(tx: Writer, { did, collection, rkey }: RecordName, dueAt: number): void {
  tx.run(
    `INSERT INTO wanted_records (did, collection, rkey, due_at) SELECT ?, ?, ?, ?
     WHERE (SELECT count(*) FROM wanted_records) < ${maxRows} ON CONFLICT DO NOTHING`,
    [did, collection, rkey, dueAt],
  )
}

/** The records that are due, the earliest first. */
export function due(db: Reader, now: number, limit: number): WantedRecord[] {
  return db.all(
    'SELECT did, collection, rkey, failures FROM wanted_records WHERE due_at <= ? ORDER BY due_at LIMIT ?',
    [now, limit],
  )
}

const named = 'WHERE did = ? AND collection = ? AND rkey = ?'

export function remove(tx: Writer, { did, collection, rkey }: RecordName): void {
  tx.run(`DELETE FROM wanted_records ${named}`, [did, collection, rkey])
}

/** Counts a failure. */
export function postpone(tx: Writer, { did, collection, rkey }: RecordName, dueAt: number): void {
  tx.run(`UPDATE wanted_records SET failures = failures + 1, due_at = ? ${named}`, [
    dueAt,
    did,
    collection,
    rkey,
  ])
}

export interface CheckedRecord extends RecordName {
  /** Row. */
  readonly id: number
  readonly cid: Uint8Array
}

/**
 * Returns records of other servers with a notification since `notifiedSince` that were last compared with their hosts before
 * `checkedBefore`. Records that were never compared come first. Times are milliseconds since 1970.
 */
export function unchecked(
  db: Reader,
  { notifiedSince, checkedBefore, limit }: { notifiedSince: number; checkedBefore: number; limit: number },
): CheckedRecord[] {
  return db.all(
    `SELECT r.id, a.did, c.nsid AS collection, r.rkey, r.cid FROM records r
     JOIN actors a ON a.id = r.actor JOIN collections c ON c.id = r.collection
     LEFT JOIN record_checks k ON k.record = r.id
     WHERE r.id IN (SELECT record FROM notifications WHERE indexed_at >= ?)
       AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = r.actor) AND coalesce(k.checked_at, 0) < ?
     ORDER BY k.checked_at LIMIT ?`,
    [notifiedSince, checkedBefore, limit],
  )
}

/** Notes that a record was compared, if it is still stored. */
export function setChecked(tx: Writer, id: number, checkedAt: number): void {
  tx.run(
    `INSERT INTO record_checks (record, checked_at) SELECT id, ? FROM records WHERE id = ?
     ON CONFLICT DO UPDATE SET checked_at = excluded.checked_at`,
    [checkedAt, id],
  )
}
