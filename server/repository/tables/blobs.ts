/**
 * Table `blobs`: the blobs that each account has uploaded. Accounts that upload the same bytes share a file, which goes with
 * its last row.
 *
 * A blob is referenced while a record of its account names it. After each upload it is kept for a while without one. A blob
 * whose file is damaged (`damaged-blobs.ts`) counts as not uploaded, but keeps its row.
 */
import type { DidString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'
import { actorId } from '../../store/tables/actors.ts'
import { isBlobShown } from '../../store/tables/takedowns.ts'
import { cidBytes, cidText } from '../../util/cid.ts'
import * as damaged from './damaged-blobs.ts'
import type { RecordName } from './records.ts'

export interface Blob {
  readonly cid: string
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
}

/** Whether a record of the account names the blob `b`. CROSS JOIN: otherwise SQLite reads all records of the account. */
const isReferenced =
  'EXISTS (SELECT 1 FROM record_blobs rb CROSS JOIN records r ON r.id = rb.record WHERE rb.cid = b.cid AND r.actor = b.account)'

/** Whether the file of the blob `b` can be served. */
const isIntact = 'NOT EXISTS (SELECT 1 FROM damaged_blobs d WHERE d.cid = b.cid)'

/** A blob that the account has uploaded, referenced or not. */
export function find(db: Reader, did: string, cid: string): Blob | undefined {
  return findWhere(db, did, cid, '')
}

/** Whether the account has uploaded a blob, whose file may be damaged. */
export function isUploaded(db: Reader, did: string, cid: string): boolean {
  return (
    db.get(`SELECT 1 FROM blobs WHERE account = ${actorId} AND cid = ?`, [did, cidBytes(cid)]) !== undefined
  )
}

/** A blob that a record of the account refers to, unless it is taken down. */
export function findReferenced(db: Reader, did: string, cid: string): Blob | undefined {
  return findWhere(db, did, cid, `AND ${isReferenced} AND ${isBlobShown}`)
}

function findWhere(db: Reader, did: string, cid: string, condition: string): Blob | undefined {
  const row = db.get<Omit<Blob, 'cid'>>(
    `SELECT b.mime_type AS mimeType, b.size FROM blobs b WHERE b.account = ${actorId} AND b.cid = ? AND ${isIntact} ${condition}`,
    [did, cidBytes(cid)],
  )
  return row && { cid, ...row }
}

/** The bytes of all uploads of an account, referenced or not. */
export function bytesOf(db: Reader, did: string): number {
  const row = db.get<{ bytes: number }>(
    `SELECT coalesce(sum(size), 0) AS bytes FROM blobs WHERE account = ${actorId}`,
    [did],
  )
  return row?.bytes ?? 0
}

/** The bytes of the uploads of all accounts. Bytes that several of them have count for each. */
export function totalBytes(db: Reader): number {
  return db.get<{ bytes: number }>('SELECT coalesce(sum(size), 0) AS bytes FROM blobs')?.bytes ?? 0
}

/** Whether a record of the account names a blob, besides the record with row `except`. */
export function isNamed(db: Reader, did: string, cid: string, except: number): boolean {
  const row = db.get(
    `SELECT 1 FROM record_blobs rb CROSS JOIN records r ON r.id = rb.record
     WHERE rb.cid = ? AND r.actor = ${actorId} AND r.id <> ? LIMIT 1`,
    [cidBytes(cid), did, except],
  )
  return row !== undefined
}

/** Returns the given blobs that some record names. */
export function namedAmong(db: Reader, cids: readonly string[]): string[] {
  return cids.filter((cid) => db.get('SELECT 1 FROM record_blobs WHERE cid = ? LIMIT 1', [cidBytes(cid)]))
}

/** Whether any account has uploaded these bytes. */
export function isStored(db: Reader, cid: string): boolean {
  return db.get('SELECT 1 FROM blobs WHERE cid = ? LIMIT 1', [cidBytes(cid)]) !== undefined
}

/**
 * Stores an upload of an account here, whose file is in place, and returns the blob. The type of a blob stays once a record
 * refers to it. @param expiresAt milliseconds since 1970: until then it is kept without a reference
 */
export function upload(tx: Writer, did: string, blob: Blob, expiresAt: number): Blob {
  const { cid, mimeType, size } = blob
  damaged.clear(tx, cid)
  tx.run(
    `INSERT INTO blobs (account, cid, mime_type, size, expires_at)
       SELECT id, ?, ?, ?, ? FROM accounts WHERE did = ?
     ON CONFLICT (account, cid) DO UPDATE SET expires_at = excluded.expires_at,
       mime_type = CASE WHEN rev IS NULL THEN excluded.mime_type ELSE mime_type END`,
    [cidBytes(cid), mimeType, size, expiresAt, did],
  )
  tx.run(
    `UPDATE blobs AS b SET rev = (SELECT rev FROM repos WHERE actor = b.account)
     WHERE account = ${actorId} AND cid = ? AND rev IS NULL AND ${isReferenced}`,
    [did, cidBytes(cid)],
  )
  return find(tx, did, cid) ?? blob
}

/** Notes that the latest commit of the account refers to a blob. */
export function refer(tx: Writer, did: string, cid: string): void {
  tx.run(
    `UPDATE blobs SET expires_at = NULL, rev = (SELECT rev FROM repos WHERE actor = blobs.account)
     WHERE account = ${actorId} AND cid = ?`,
    [did, cidBytes(cid)],
  )
}

/** Notes that the latest commit of the account refers to all blobs that its records name, and that no commit has referred to yet. */
export function referAll(tx: Writer, did: string): void {
  tx.run(
    `UPDATE blobs AS b SET expires_at = NULL, rev = (SELECT rev FROM repos WHERE actor = b.account)
     WHERE account = ${actorId} AND rev IS NULL AND ${isReferenced}`,
    [did],
  )
}

/** Deletes a blob of an account if nothing keeps it. Returns whether it was deleted. */
export function removeUnused(tx: Writer, did: string, cid: string): boolean {
  const removed = tx.run(
    `DELETE FROM blobs AS b WHERE account = ${actorId} AND cid = ? AND expires_at IS NULL AND NOT ${isReferenced}`,
    [did, cidBytes(cid)],
  )
  return removed > 0
}

/** Ends the time for which uploads are kept without a reference. Returns the CIDs of deleted ones. */
export function expire(tx: Writer, now: number): string[] {
  const due = tx.all<{ account: number; cid: Uint8Array }>(
    'SELECT account, cid FROM blobs WHERE expires_at <= ?',
    [now],
  )
  const removed = due.filter(
    ({ account, cid }) =>
      tx.run(`DELETE FROM blobs AS b WHERE account = ? AND cid = ? AND NOT ${isReferenced}`, [account, cid]) >
      0,
  )
  tx.run('UPDATE blobs SET expires_at = NULL WHERE expires_at <= ?', [now])
  return removed.map(({ cid }) => cidText(cid))
}

/** The key of a row. */
export interface BlobKey {
  readonly account: number
  readonly cid: Uint8Array
}

/** All rows in the order of their key, after `after`, and whether something keeps each. */
export function keptPage(
  db: Reader,
  after: BlobKey | undefined,
  limit: number,
): (BlobKey & { readonly isKept: number })[] {
  return db.all(
    `SELECT account, cid, (expires_at IS NOT NULL OR ${isReferenced}) AS isKept FROM blobs b
     WHERE (account, cid) > (?, ?) ORDER BY account, cid LIMIT ?`,
    [after?.account ?? 0, after?.cid ?? new Uint8Array(), limit],
  )
}

/** Deletes a row if nothing keeps it. */
export function removeUnusedRow(tx: Writer, { account, cid }: BlobKey): void {
  tx.run(
    `DELETE FROM blobs AS b WHERE account = ? AND cid = ? AND expires_at IS NULL AND NOT ${isReferenced}`,
    [account, cid],
  )
}

/** CIDs of referenced blobs in the order of their bytes, after `after`. @param since only blobs referenced after this revision */
export function page(
  db: Reader,
  did: string,
  { since = '', after, limit }: { since?: string | undefined; after: string | undefined; limit: number },
): string[] {
  const rows = db.all<{ cid: Uint8Array }>(
    `SELECT b.cid FROM blobs b
     WHERE b.account = ${actorId} AND b.cid > ? AND (b.rev IS NULL OR b.rev > ?) AND ${isIntact} AND ${isReferenced}
     ORDER BY b.cid LIMIT ?`,
    [did, bytesAfter(after), since, limit],
  )
  return rows.map(({ cid }) => cidText(cid))
}

/** A blob that a record names but that the account has not uploaded, or whose file is damaged. */
export interface MissingBlob extends RecordName {
  readonly cid: string
  /** 1 if it was uploaded, and its file is damaged now. */
  readonly isDamaged: 0 | 1
}

/** Missing blobs in the order of their bytes, after `after`, each with one record that names it. */
export function missingPage(
  db: Reader,
  did: DidString,
  after: string | undefined,
  limit: number,
): MissingBlob[] {
  const rows = db.all<Omit<MissingBlob, 'cid' | 'did'> & { cid: Uint8Array; first: number }>(
    `SELECT rb.cid, c.nsid AS collection, r.rkey, min(r.id) AS first,
       EXISTS (SELECT 1 FROM blobs WHERE account = r.actor AND cid = rb.cid) AS isDamaged
     FROM record_blobs rb CROSS JOIN records r ON r.id = rb.record JOIN collections c ON c.id = r.collection
     WHERE r.actor = ${actorId} AND rb.cid > ?
       AND NOT EXISTS (SELECT 1 FROM blobs b WHERE account = r.actor AND cid = rb.cid AND ${isIntact})
     GROUP BY rb.cid ORDER BY rb.cid LIMIT ?`,
    [did, bytesAfter(after), limit],
  )
  return rows.map(({ cid, collection, rkey, isDamaged }) => ({
    ...{ cid: cidText(cid), did, collection, rkey, isDamaged },
  }))
}

function bytesAfter(cid: string | undefined): Uint8Array {
  return cid === undefined ? new Uint8Array() : cidBytes(cid)
}

/** A row of an account. */
export interface CountedBlob extends Pick<Blob, 'size'> {
  readonly cid: Uint8Array
  /** 1 if a record refers to it, and its file is not damaged. */
  readonly isShown: 0 | 1
}

/** The blobs of an account in the order of their bytes, after `after`. */
export function countedPage(
  db: Reader,
  did: string,
  after: Uint8Array | undefined,
  limit: number,
): CountedBlob[] {
  return db.all<CountedBlob>(
    `SELECT b.cid, b.size, (${isIntact} AND ${isReferenced}) AS isShown FROM blobs b
     WHERE b.account = ${actorId} AND b.cid > ? ORDER BY b.cid LIMIT ?`,
    [did, after ?? new Uint8Array(), limit],
  )
}
