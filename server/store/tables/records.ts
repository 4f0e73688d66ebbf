/** Tables `records` and `record_blobs`. */
import type { DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import type { DatetimeString } from '../../util/time.ts'
import type { Reader, Writer } from '../database.ts'
import type { Account } from './accounts.ts'

export interface StoredRecord {
  readonly did: DidString
  /** As the client wrote it, possibly an alias. */
  readonly collection: NsidString
  readonly rkey: RecordKeyString
  readonly cid: string
  /** DAG-CBOR. */
  readonly bytes: Uint8Array
  readonly indexedAt: DatetimeString
}

const select = 'SELECT did, collection, rkey, cid, bytes, indexed_at AS indexedAt FROM records'

export function find(db: Reader, did: string, collection: string, rkey: string): StoredRecord | undefined {
  return db.get<StoredRecord>(`${select} WHERE did = ? AND collection = ? AND rkey = ?`, [
    did,
    collection,
    rkey,
  ])
}

export function insert(tx: Writer, record: StoredRecord, blobs: readonly string[]): void {
  const { did, collection, rkey } = record
  tx.run('INSERT INTO records (did, collection, rkey, cid, bytes, indexed_at) VALUES (?, ?, ?, ?, ?, ?)', [
    did,
    collection,
    rkey,
    record.cid,
    record.bytes,
    record.indexedAt,
  ])
  for (const blob of new Set(blobs)) {
    tx.run('INSERT INTO record_blobs (did, collection, rkey, blob_cid) VALUES (?, ?, ?, ?)', [
      did,
      collection,
      rkey,
      blob,
    ])
  }
}

export function remove(tx: Writer, did: string, collection: string, rkey: string): void {
  tx.run('DELETE FROM records WHERE did = ? AND collection = ? AND rkey = ?', [did, collection, rkey])
}

/** Records of a collection by ascending record key, after `after`. */
export function page(db: Reader, { did, collection, after = '', limit }: PageOf): StoredRecord[] {
  return db.all<StoredRecord>(
    `${select} WHERE did = ? AND collection = ? AND rkey > ? ORDER BY rkey LIMIT ?`,
    [did, collection, after, limit],
  )
}

/** Records of a collection by descending record key, before `after`. */
export function pageBackwards(db: Reader, { did, collection, after, limit }: PageOf): StoredRecord[] {
  // Sorts after every character of record keys.
  return db.all<StoredRecord>(
    `${select} WHERE did = ? AND collection = ? AND rkey < ? ORDER BY rkey DESC LIMIT ?`,
    [did, collection, after ?? '\x7f', limit],
  )
}

export interface PageOf {
  readonly did: string
  readonly collection: string
  /** Last record key of the previous page. */
  readonly after?: string | undefined
  readonly limit: number
}

/** Records of a repository in tree order, after `after`. */
export function pageOfRepo(
  db: Reader,
  did: string,
  after: { collection: string; rkey: string } | undefined,
  limit: number,
): StoredRecord[] {
  const { collection, rkey } = after ?? { collection: '', rkey: '' }
  return db.all<StoredRecord>(
    `${select} WHERE did = ? AND (collection, rkey) > (?, ?) ORDER BY collection, rkey LIMIT ?`,
    [did, collection, rkey, limit],
  )
}

type FoundProfile = Pick<Account, 'handle' | 'deactivatedAt' | 'suspendedAt' | 'takenDownAt'> & {
  readonly bytes: Uint8Array | null
  readonly indexedAt: DatetimeString | null
}

/** An account and its newest profile record in the given collections, if it has one. */
export function findProfile(
  db: Reader,
  did: string,
  collections: readonly string[],
): FoundProfile | undefined {
  return db.get(
    `SELECT a.handle, a.deactivated_at AS deactivatedAt, a.suspended_at AS suspendedAt, a.taken_down_at AS takenDownAt,
       r.bytes, r.indexed_at AS indexedAt
     FROM accounts a LEFT JOIN records r
       ON r.did = a.did AND r.collection IN (SELECT value FROM json_each(?)) AND r.rkey = 'self'
     WHERE a.did = ? ORDER BY r.indexed_at DESC LIMIT 1`,
    [JSON.stringify(collections), did],
  )
}

/** Collections with at least one record. Reads one record of each: a repository may have millions. */
export function collections(db: Reader, did: string): NsidString[] {
  const rows = db.all<{ name: NsidString }>(
    `WITH RECURSIVE names (name) AS (
       SELECT min(collection) FROM records WHERE did = ?
       UNION ALL
       SELECT (SELECT min(collection) FROM records WHERE did = ? AND collection > name) FROM names WHERE name IS NOT NULL
     )
     SELECT name FROM names WHERE name IS NOT NULL`,
    [did, did],
  )
  return rows.map(({ name }) => name)
}

export function count(db: Reader, did: string): number {
  return db.get<{ count: number }>('SELECT count(*) AS count FROM records WHERE did = ?', [did])?.count ?? 0
}

/** Number of distinct blobs that records of the repository refer to. */
export function countBlobs(db: Reader, did: string): number {
  const row = db.get<{ count: number }>(
    'SELECT count(DISTINCT blob_cid) AS count FROM record_blobs WHERE did = ?',
    [did],
  )
  return row?.count ?? 0
}
