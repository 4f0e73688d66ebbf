/**
 * Records of other servers: rows of `records` whose actor has no account here. Table `remote_feed_items` has those that may be
 * evicted.
 */
import type { NsidString } from '@atproto/syntax'
import { actorPaths, paths } from '../../repository/format/link-paths.ts'
import type { Reader, Writer } from '../../store/database.ts'
import { actorId } from '../../store/tables/actors.ts'
import { collectionId } from '../../store/tables/collections.ts'
import { cidBytes, cidText } from '../../util/cid.ts'
import { type NamedRecord, referredToSql, usedListSql, watchedSql } from './remote-interest.ts'

export interface RemoteRecord {
  /** Row, which an update keeps. */
  readonly id: number
  /** Revision of the commit that wrote it, or of a later one that proves it. */
  readonly rev: string | null
  readonly cid: string
  /** DAG-CBOR. */
  readonly bytes: Uint8Array
}

export function find(db: Reader, { did, collection, rkey }: NamedRecord): RemoteRecord | undefined {
  const row = db.get<Omit<RemoteRecord, 'cid'> & { readonly cid: Uint8Array }>(
    `SELECT id, rev, cid, bytes FROM records WHERE actor = ${actorId} AND collection = ${collectionId} AND rkey = ?`,
    [did, collection, rkey],
  )
  return row && { ...row, cid: cidText(row.cid) }
}

/** Returns the latest revision of an actor's records. */
export function latestRev(db: Reader, did: string): string | undefined {
  const row = db.get<{ rev: string | null }>(
    'SELECT max(r.rev) AS rev FROM actors a JOIN records r ON r.actor = a.id WHERE a.did = ?',
    [did],
  )
  return row?.rev ?? undefined
}

/** Notes that a later commit has the same record. */
export function setRev(tx: Writer, id: number, rev: string): void {
  tx.run('UPDATE records SET rev = ? WHERE id = ?', [rev, id])
}

export interface Size {
  readonly records: number
  /** Bytes of their DAG-CBOR. */
  readonly bytes: number
}

/** The size of the records of an actor. */
export function sizeOf(db: Reader, did: string): Size {
  const row = db.get<Size>(
    `SELECT coalesce(sum(records), 0) AS records, coalesce(sum(bytes), 0) AS bytes FROM collection_sizes
     WHERE actor = (SELECT id FROM actors WHERE did = ?)`,
    [did],
  )
  return row ?? { records: 0, bytes: 0 }
}

/** A range of ids of actors: after one, up to another. The whole table would take too long at once. */
export interface ActorRange {
  readonly after: number
  readonly upTo: number
}

/** The highest id of an actor. */
export function lastActor(db: Reader): number {
  return db.get<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM actors')?.id ?? 0
}

/** The size of the records of the actors in a range that have no account here. */
export function sizeOfRange(db: Reader, { after, upTo }: ActorRange): Size {
  const row = db.get<Size>(
    `SELECT coalesce(sum(z.records), 0) AS records, coalesce(sum(z.bytes), 0) AS bytes
     FROM collection_sizes z CROSS JOIN actors a ON a.id = z.actor
     WHERE z.actor > ? AND z.actor <= ? AND a.did LIKE 'did:%' AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = a.id)`,
    [after, upTo],
  )
  return row ?? { records: 0, bytes: 0 }
}

/** Allows a record to be evicted. @param sortAt milliseconds */
export function putFeedItem(tx: Writer, record: number, sortAt: number): void {
  tx.run('INSERT INTO remote_feed_items (record, sort_at) VALUES (?, ?) ON CONFLICT DO NOTHING', [
    record,
    sortAt,
  ])
}

export interface FeedItem {
  readonly record: number
  /** Milliseconds. */
  readonly sortAt: number
  readonly bytes: number
  /** Whether a notification, a bookmark or a record of an account here refers to it. */
  readonly isUsed: number
}

/** SQL condition: whether a record `r` is a list by which an account here blocks or mutes, or an item of one. */
const isOfUsedList = `(
  EXISTS (SELECT 1 FROM muted_lists WHERE actor = r.actor AND rkey = r.rkey)
  OR EXISTS (SELECT 1 FROM links i CROSS JOIN subjects t ON t.id = i.subject
    WHERE i.record = r.id AND i.path = ${paths.list} AND ${usedListSql('t.actor', 't.rkey')}))`

/** SQL condition: whether a bookmark, a mute or a record of an account here refers to a record `r` of an actor `a`. */
const isInteractedWith = `(${isOfUsedList} OR
  EXISTS (SELECT 1 FROM subjects s CROSS JOIN links l ON l.subject = s.id AND l.path NOT IN ${actorPaths}
    CROSS JOIN accounts c ON c.id = l.actor
    WHERE s.actor = r.actor AND s.rkey = r.rkey)
  OR EXISTS (SELECT 1 FROM bookmarks WHERE did = a.did AND rkey = r.rkey))`

/** Returns some of the records that may be evicted, the oldest first. @param before milliseconds */
export function oldestFeedItems(db: Reader, before: number, limit: number): FeedItem[] {
  return db.all<FeedItem>(
    `SELECT i.record, i.sort_at AS sortAt, length(r.bytes) AS bytes,
       EXISTS (SELECT 1 FROM notifications WHERE record = r.id) OR ${isInteractedWith} AS isUsed
     FROM remote_feed_items i CROSS JOIN records r ON r.id = i.record CROSS JOIN actors a ON a.id = r.actor
     WHERE i.sort_at < ? ORDER BY i.sort_at LIMIT ?`,
    [before, limit],
  )
}

/** Notes that a record is in use: it is examined again after the others. */
export function touchFeedItem(tx: Writer, record: number, at: number): void {
  tx.run('UPDATE remote_feed_items SET sort_at = ? WHERE record = ?', [at, record])
}

/** A range of ids of records: after one, up to another. */
type RecordRange = ActorRange

/** The highest id of a record. */
export function lastRecord(db: Reader): number {
  return db.get<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM records')?.id ?? 0
}

export interface ReadRecord {
  readonly record: number
  readonly actor: number
  readonly bytes: number
  readonly did: string
  readonly collection: NsidString
  readonly rkey: string
  readonly hasNotified: number
}

/**
 * Returns some of the records in a range that no account here has still to read or has interacted with, the oldest first.
 * @param names of collections, without their authority. Only profiles that refer to something here
 * @param ofWatched whether records of watched actors are included
 */
export function readRecords(
  db: Reader,
  { names, ofWatched }: { readonly names: readonly string[]; readonly ofWatched: boolean },
  { after, upTo }: RecordRange,
  limit: number,
): ReadRecord[] {
  return db.all<ReadRecord>(
    `SELECT r.id AS record, r.actor, length(r.bytes) AS bytes, a.did, c.nsid AS collection, r.rkey,
       EXISTS (SELECT 1 FROM notifications WHERE record = r.id) AS hasNotified
     FROM records r CROSS JOIN collections c ON c.id = r.collection CROSS JOIN actors a ON a.id = r.actor
     WHERE r.id > ? AND r.id <= ? AND c.name IN (SELECT value FROM json_each(?))
       AND a.did LIKE 'did:%' AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = a.id)
       AND (c.name <> 'actor.profile' OR EXISTS (SELECT 1 FROM links WHERE path = ${paths.starterPack} AND record = r.id))
       AND NOT EXISTS (SELECT 1 FROM notifications n WHERE n.record = r.id
         AND n.indexed_at > coalesce((SELECT seen_at FROM seen_markers WHERE account = n.account), 0))
       AND NOT EXISTS (SELECT 1 FROM fan_outs WHERE record = r.id)
       AND NOT ${isInteractedWith} AND (? = 1 OR NOT ${watchedSql('a.id')})
     ORDER BY r.id LIMIT ?`,
    [after, upTo, JSON.stringify(names), ofWatched ? 1 : 0, limit],
  )
}

/** Deletes a record, and the gates of a post. */
export function evict(tx: Writer, record: number): void {
  const gates = tx.all<{ id: number }>(
    `SELECT g.id FROM records r CROSS JOIN collections c ON c.name IN ('feed.threadgate', 'feed.postgate')
       CROSS JOIN records g ON g.actor = r.actor AND g.collection = c.id AND g.rkey = r.rkey WHERE r.id = ?`,
    [record],
  )
  for (const { id } of [...gates, { id: record }]) remove(tx, id)
}

/** A statement that deletes several rows takes several times as long, because SQLite prepares for undoing it. */
function remove(tx: Writer, record: number): void {
  tx.run('DELETE FROM records WHERE id = ?', [record])
}

/** Whether a record of an active actor without an account here names a blob. */
export function namesBlob(db: Reader, did: string, cid: string): boolean {
  const row = db.get(
    `SELECT 1 FROM actors a CROSS JOIN record_blobs b ON b.cid = ? CROSS JOIN records r ON r.id = b.record AND r.actor = a.id
     WHERE a.did = ? AND a.inactive = 0 AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = a.id)`,
    [cidBytes(cid), did],
  )
  return row !== undefined
}

/** SQL condition: whether a record refers to an account here, or feeds may show it. */
const isUsedSql = (record: string) => `(
  EXISTS (SELECT 1 FROM remote_feed_items WHERE record = ${record})
  OR EXISTS (SELECT 1 FROM links l CROSS JOIN accounts c ON c.id = l.subject
       WHERE l.record = ${record} AND l.path IN ${actorPaths})
  OR EXISTS (SELECT 1 FROM links l CROSS JOIN subjects s ON s.id = l.subject CROSS JOIN accounts c ON c.id = s.actor
       WHERE l.record = ${record} AND l.path NOT IN ${actorPaths}))`

/**
 * Returns the first actor in a range that has records but no account here, if none of its records is used and nothing refers to it:
 * only its profile is left, or records that referred to a deleted account.
 */
export function forgottenActor(db: Reader, { after, upTo }: ActorRange): number | undefined {
  const row = db.get<{ id: number }>(
    `SELECT a.id FROM actors a WHERE a.id > ? AND a.id <= ? AND a.did LIKE 'did:%'
       AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = a.id)
       AND EXISTS (SELECT 1 FROM records WHERE actor = a.id)
       AND NOT ${referredToSql('a.id')}
       AND NOT EXISTS (SELECT 1 FROM records r WHERE r.actor = a.id AND ${isUsedSql('r.id')})`,
    [after, upTo],
  )
  return row?.id
}

/** Deletes some of the records of an actor. Returns their size. */
export function removeSome(tx: Writer, actor: number, limit: number): Size {
  const found = tx.all<{ id: number; bytes: number }>(
    'SELECT id, length(bytes) AS bytes FROM records WHERE actor = ? LIMIT ?',
    [actor, limit],
  )
  for (const { id } of found) remove(tx, id)
  return { records: found.length, bytes: found.reduce((sum, { bytes }) => sum + bytes, 0) }
}
