/** Tables `records`, `record_blobs` and `collection_sizes`, which triggers keep. */
import type { DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'
import * as actors from '../../store/tables/actors.ts'
import { actorId } from '../../store/tables/actors.ts'
import * as collectionNames from '../../store/tables/collections.ts'
import { collectionId } from '../../store/tables/collections.ts'
import { isNotTakenDown } from '../../store/tables/takedowns.ts'
import { cidBytes, cidText } from '../../util/cid.ts'
import { type DatetimeString, iso } from '../../util/time.ts'
import type { DatedBlock } from './repos.ts'

/** A record by its author, its collection as it is stored, and its key. */
export interface RecordName {
  readonly did: DidString
  readonly collection: NsidString
  readonly rkey: RecordKeyString
}

export interface StoredRecord extends RecordName {
  /** Row, which an update keeps. */
  readonly id: number
  readonly cid: string
  /** DAG-CBOR. */
  readonly bytes: Uint8Array
  readonly indexedAt: DatetimeString
}

type Content = Pick<StoredRecord, 'id' | 'rkey' | 'bytes'> & {
  readonly cid: Uint8Array
  readonly indexedAt: number
}

// Joins take several times longer in this build of SQLite.
const content = 'SELECT id, rkey, cid, bytes, indexed_at AS indexedAt FROM records'
const inCollection = `WHERE actor = ${actorId} AND collection = ${collectionId}`

export function find(db: Reader, did: string, collection: string, rkey: string): StoredRecord | undefined {
  const row = db.get<Content>(`${content} ${inCollection} AND rkey = ?`, [did, collection, rkey])
  return row && toRecord(row, did, collection)
}

function toRecord(row: Content, did: string, collection: string): StoredRecord {
  return {
    ...row,
    did: did as DidString,
    collection: collection as NsidString,
    cid: cidText(row.cid),
    indexedAt: iso(new Date(row.indexedAt)),
  }
}

/** The revision of the latest commit: records are written after it, in the same transaction. */
const latestRev = '(SELECT rev FROM repos WHERE actor = ?)'

/** Returns the id of the record. @param rev of a record of another server; default: the latest one here */
export function insert(
  tx: Writer,
  record: Omit<StoredRecord, 'id'>,
  blobs: readonly string[],
  rev: string | null = null,
): number {
  const { did, collection, rkey, cid, bytes, indexedAt } = record
  const actor = actors.ensure(tx, did)
  const row = tx.get<{ id: number }>(
    `INSERT INTO records (actor, collection, rkey, cid, bytes, indexed_at, rev)
     VALUES (?, ?, ?, ?, ?, ?, coalesce(?, ${latestRev})) RETURNING id`,
    [
      ...[actor, collectionNames.ensure(tx, collection), rkey, cidBytes(cid), bytes, Date.parse(indexedAt)],
      ...[rev, actor],
    ],
  )
  const id = row?.id ?? 0
  insertBlobs(tx, id, blobs)
  return id
}

/** Replaces the content of a record, which may move to another name of its collection. @param rev as for `insert` */
export function update(
  tx: Writer,
  id: number,
  { collection, cid, bytes, indexedAt }: Omit<StoredRecord, 'id'>,
  blobs: readonly string[],
  rev: string | null = null,
): void {
  tx.run(
    `UPDATE records SET collection = ?, cid = ?, bytes = ?, indexed_at = ?,
       rev = coalesce(?, (SELECT rev FROM repos WHERE actor = records.actor)) WHERE id = ?`,
    [collectionNames.ensure(tx, collection), cidBytes(cid), bytes, Date.parse(indexedAt), rev, id],
  )
  tx.run('DELETE FROM record_blobs WHERE record = ?', [id])
  insertBlobs(tx, id, blobs)
}

function insertBlobs(tx: Writer, record: number, blobs: readonly string[]): void {
  for (const blob of new Set(blobs)) {
    tx.run('INSERT INTO record_blobs (record, cid) VALUES (?, ?)', [record, cidBytes(blob)])
  }
}

export function remove(tx: Writer, id: number): void {
  tx.run('DELETE FROM records WHERE id = ?', [id])
}

/** Records of a collection by ascending record key, after `after`. */
export function page(
  db: Reader,
  { did, collection, after = '', limit, isPublic = false }: PageOf,
): StoredRecord[] {
  const params = [did, collection, after, limit]
  return db
    .all<Content>(`${content} ${inCollection} AND rkey > ? ${shown(isPublic)} ORDER BY rkey LIMIT ?`, params)
    .map((row) => toRecord(row, did, collection))
}

/** Records of a collection by descending record key, before `after`. */
export function pageBackwards(
  db: Reader,
  { did, collection, after, limit, isPublic = false }: PageOf,
): StoredRecord[] {
  // Sorts after every character of record keys.
  const params = [did, collection, after ?? '\x7f', limit]
  return db
    .all<Content>(
      `${content} ${inCollection} AND rkey < ? ${shown(isPublic)} ORDER BY rkey DESC LIMIT ?`,
      params,
    )
    .map((row) => toRecord(row, did, collection))
}

export interface PageOf {
  readonly did: string
  readonly collection: string
  /** Last record key of the previous page. */
  readonly after?: string | undefined
  readonly limit: number
  /** Whether to leave out records that are taken down. */
  readonly isPublic?: boolean
}

const shown = (isPublic: boolean) => (isPublic ? `AND ${isNotTakenDown('records.id')}` : '')

/** The CID of a record, and its place in the order of `cidPage`. */
export interface PlacedCid {
  readonly id: number
  readonly collection: number
  readonly rkey: string
  readonly cid: Uint8Array
}

/** CIDs of the records of a repository, after `after`. The order of its collections is fixed but arbitrary. */
export function cidPage(db: Reader, did: string, after: PlacedCid | undefined, limit: number): PlacedCid[] {
  return db.all(
    `SELECT id, collection, rkey, cid FROM records
     WHERE actor = ${actorId} AND (collection, rkey) > (?, ?) ORDER BY collection, rkey LIMIT ?`,
    [did, after?.collection ?? 0, after?.rkey ?? '', limit],
  )
}

/** CIDs of blobs that the records after `after` up to `last`, in the order of `cidPage`, refer to. */
export function blobsBetween(
  db: Reader,
  did: string,
  after: PlacedCid | undefined,
  last: PlacedCid,
): Uint8Array[] {
  // CROSS JOIN: otherwise SQLite reads all references to blobs.
  return db
    .all<{ cid: Uint8Array }>(
      `SELECT b.cid FROM records r CROSS JOIN record_blobs b ON b.record = r.id
       WHERE r.actor = ${actorId} AND (r.collection, r.rkey) > (?, ?) AND (r.collection, r.rkey) <= (?, ?)`,
      [did, after?.collection ?? 0, after?.rkey ?? '', last.collection, last.rkey],
    )
    .map(({ cid }) => cid)
}

/** DAG-CBOR of a record. */
export function bytesOf(db: Reader, id: number): Uint8Array | undefined {
  return db.get<{ bytes: Uint8Array }>('SELECT bytes FROM records WHERE id = ?', [id])?.bytes
}

/** Returns the block of a record, and the revision that wrote it. */
export function findDated(
  db: Reader,
  did: string,
  collection: string,
  rkey: string,
): (DatedBlock & { readonly cid: string }) | undefined {
  const row = db.get<DatedBlock & { readonly cid: Uint8Array }>(
    `SELECT cid, bytes, rev FROM records ${inCollection} AND rkey = ?`,
    [did, collection, rkey],
  )
  return row && { ...row, cid: cidText(row.cid) }
}

/** Collections with at least one record, by name. */
export function collections(db: Reader, did: string): NsidString[] {
  const rows = db.all<{ name: NsidString }>(
    `SELECT c.nsid AS name FROM collection_sizes s JOIN collections c ON c.id = s.collection
     WHERE s.actor = ${actorId} ORDER BY c.nsid`,
    [did],
  )
  return rows.map(({ name }) => name)
}

export function count(db: Reader, did: string): number {
  const row = db.get<{ count: number }>(
    `SELECT coalesce(sum(records), 0) AS count FROM collection_sizes WHERE actor = ${actorId}`,
    [did],
  )
  return row?.count ?? 0
}

/** Counts the rows, while `count` reads the count that triggers keep. */
export function countRows(db: Reader, did: string): number {
  const row = db.get<{ count: number }>(`SELECT count(*) AS count FROM records WHERE actor = ${actorId}`, [
    did,
  ])
  return row?.count ?? 0
}
