/** Queries over `actors` and `links`: actors, relations between two actors, follows. */
import type { AtUriString, DidString, HandleString } from '@atproto/syntax'
import { paths } from '../../repository/format/link-paths.ts'
import type { RecordName } from '../../repository/tables/records.ts'
import type { Reader } from '../../store/database.ts'
import { collectionId } from '../../store/tables/collections.ts'
import { isNotTakenDown } from '../../store/tables/takedowns.ts'
import type { DatetimeString } from '../../util/time.ts'

/** Selects the ids of collections by their names, a JSON array. */
const collectionIds = 'SELECT id FROM collections WHERE nsid IN (SELECT value FROM json_each(?))'

/** Returns the ids of actors by their DIDs. */
export function actorIds<Did extends string>(db: Reader, dids: readonly Did[]): Map<Did, number> {
  const rows = db.all<{ id: number; did: Did }>(
    'SELECT id, did FROM actors WHERE did IN (SELECT value FROM json_each(?))',
    [JSON.stringify(dids)],
  )
  return new Map(rows.map(({ id, did }) => [did, id]))
}

/**
 * Returns the actor that is shown under a handle: an account here, else an actor of another server.
 * @param handle in lower case
 */
export function actorOfHandle(db: Reader, handle: string): { id: number; did: DidString } | undefined {
  return db.get(
    `SELECT a.id, a.did FROM actors a WHERE a.id IN
       (SELECT id FROM accounts WHERE handle = ?1 UNION ALL SELECT id FROM remote_actors WHERE shown_handle = ?1)`,
    [handle],
  )
}

export interface ActorRow {
  readonly id: number
  readonly did: DidString
  /** 1: deactivated, suspended or taken down. */
  readonly inactive: number
  /** Null for an actor of another server without a verified handle. */
  readonly handle: HandleString | null
  /** Null for an actor without an account here. */
  readonly createdAt: DatetimeString | null
  /** 1 if it has an account here, or its identity at another server is known. */
  readonly isKnown: number
}

export function actors(db: Reader, ids: readonly number[]): ActorRow[] {
  return db.all<ActorRow>(
    `SELECT a.id, a.did, a.inactive, coalesce(c.handle, r.shown_handle) AS handle, c.created_at AS createdAt,
       coalesce(c.handle, r.host) IS NOT NULL AS isKnown
     FROM json_each(?) wanted CROSS JOIN actors a ON a.id = wanted.value
     LEFT JOIN accounts c ON c.id = a.id LEFT JOIN remote_actors r ON r.id = a.id`,
    [JSON.stringify(ids)],
  )
}

/** A record, for views. */
export interface RecordRow extends RecordName {
  readonly id: number
  readonly actor: number
  readonly cid: Uint8Array
  /** DAG-CBOR. */
  readonly bytes: Uint8Array
  /** Milliseconds since 1970. */
  readonly indexedAt: number
}

/** Columns of a `RecordRow`, of a record `r` of an actor `a` in a collection `n`. */
export const recordColumns = `r.id, r.actor, a.did, n.nsid AS collection, r.rkey, r.cid, r.bytes, r.indexed_at AS indexedAt`
const recordJoins = 'JOIN actors a ON a.id = r.actor JOIN collections n ON n.id = r.collection'

/** Returns the given records, without those that are taken down. */
export function recordsById(db: Reader, ids: readonly number[]): RecordRow[] {
  return db.all<RecordRow>(
    `SELECT ${recordColumns} FROM json_each(?) wanted CROSS JOIN records r ON r.id = wanted.value ${recordJoins}
     WHERE ${isNotTakenDown('r.id')}`,
    [JSON.stringify(ids)],
  )
}

/** The records of actors whose key is `self`, in any of the collections, oldest first. */
export function selfRecords(
  db: Reader,
  actors: readonly number[],
  collections: readonly string[],
): RecordRow[] {
  return db.all<RecordRow>(
    `SELECT ${recordColumns} FROM json_each(?) wanted
     CROSS JOIN records r ON r.actor = wanted.value AND r.rkey = 'self' AND r.collection IN (${collectionIds})
     ${recordJoins} WHERE ${isNotTakenDown('r.id')} ORDER BY r.indexed_at`,
    [JSON.stringify(actors), JSON.stringify(collections)],
  )
}

export function findRecord(
  db: Reader,
  actor: number,
  collection: string,
  rkey: string,
): RecordRow | undefined {
  return db.get<RecordRow>(
    `SELECT ${recordColumns} FROM records r ${recordJoins} WHERE r.actor = ? AND r.collection = ${collectionId} AND r.rkey = ?
       AND ${isNotTakenDown('r.id')}`,
    [actor, collection, rkey],
  )
}

/** Returns the AT URIs of records by their ids. */
export function recordUris(db: Reader, ids: readonly number[]): Map<number, AtUriString> {
  if (ids.length === 0) return new Map()
  const rows = db.all<{ id: number; uri: AtUriString }>(
    `SELECT r.id, 'at://' || a.did || '/' || n.nsid || '/' || r.rkey AS uri
     FROM json_each(?) wanted CROSS JOIN records r ON r.id = wanted.value ${recordJoins}`,
    [JSON.stringify(ids)],
  )
  return new Map(rows.map(({ id, uri }) => [id, uri]))
}

/** Relations between `from` and an actor, as ids of the oldest record of each; null without one. */
export interface RelationRow {
  readonly actor: number
  readonly following: number | null
  readonly followedBy: number | null
  readonly blocking: number | null
  readonly blockedBy: number | null
  /** Whether the account `from` mutes the actor; private. */
  readonly muted: number
}

export function relations(db: Reader, from: number, actors: readonly number[]): RelationRow[] {
  return db.all<RelationRow>(
    `SELECT s.value AS actor,
       (SELECT min(record) FROM links WHERE subject = s.value AND path = ${paths.follow} AND actor = v.id) AS following,
       (SELECT min(record) FROM links WHERE subject = v.id AND path = ${paths.follow} AND actor = s.value) AS followedBy,
       (SELECT min(record) FROM links WHERE subject = s.value AND path = ${paths.block} AND actor = v.id) AS blocking,
       (SELECT min(record) FROM links WHERE subject = v.id AND path = ${paths.block} AND actor = s.value) AS blockedBy,
       EXISTS (SELECT 1 FROM mutes WHERE account = v.id AND subject = s.value) AS muted
     FROM (SELECT ? AS id) v CROSS JOIN json_each(?) s`,
    [from, JSON.stringify(actors)],
  )
}

/** An item of a page of actors, newest first. `record` is the oldest record that relates the two actors, and the cursor. */
export interface RelatedActor {
  readonly actor: number
  readonly record: number
}

export interface PageOf {
  /** `record` of the last item of the previous page. */
  readonly before?: number | undefined
  readonly limit: number
}

/** The actors that follow a subject. */
export function followers(db: Reader, subject: number, { before, limit }: PageOf): RelatedActor[] {
  return db.all<RelatedActor>(
    `SELECT actor, min(record) AS record FROM links
     WHERE subject = ? AND path = ${paths.follow} GROUP BY actor HAVING min(record) < ? ORDER BY 2 DESC LIMIT ?`,
    [subject, before ?? Number.MAX_SAFE_INTEGER, limit],
  )
}

/** The active followers of a subject that the viewer follows. @param collection of follows */
export function knownFollowers(
  db: Reader,
  subject: number,
  viewer: number,
  collection: string,
  { before, limit }: PageOf,
): RelatedActor[] {
  // Begins with the viewer's follows: a subject may have many more followers.
  return db.all<RelatedActor>(
    `SELECT l.actor, min(l.record) AS record
     FROM records r CROSS JOIN links f ON f.record = r.id AND f.path = ${paths.follow}
     CROSS JOIN links l ON l.subject = ? AND l.path = ${paths.follow} AND l.actor = f.subject
     CROSS JOIN actors a ON a.id = l.actor AND a.inactive = 0
     WHERE r.actor = ? AND r.collection = ${collectionId}
     GROUP BY l.actor HAVING min(l.record) < ? ORDER BY 2 DESC LIMIT ?`,
    [subject, viewer, collection, before ?? Number.MAX_SAFE_INTEGER, limit],
  )
}

/** The actors that an actor's records in a collection name: whom it follows, or blocks. */
export function subjects(
  db: Reader,
  actor: number,
  { path, collection }: { path: number; collection: string },
  { before, limit }: PageOf,
): RelatedActor[] {
  return db.all<RelatedActor>(
    `SELECT l.subject AS actor, min(l.record) AS record
     FROM records r CROSS JOIN links l ON l.record = r.id AND l.path = ?
     WHERE r.actor = ? AND r.collection = ${collectionId}
     GROUP BY l.subject HAVING min(l.record) < ? ORDER BY 2 DESC LIMIT ?`,
    [path, actor, collection, before ?? Number.MAX_SAFE_INTEGER, limit],
  )
}

/** Ids of other active accounts that the viewer does not follow, newest first. */
export function notFollowed(db: Reader, viewer: number | undefined, { before, limit }: PageOf): number[] {
  const rows = db.all<{ id: number }>(
    `SELECT a.id FROM (SELECT ? AS id) v CROSS JOIN accounts a JOIN actors c ON c.id = a.id AND c.inactive = 0
     WHERE a.id < ? AND a.id IS NOT v.id AND NOT EXISTS (SELECT 1 FROM links WHERE subject = a.id AND path = ${paths.follow} AND actor = v.id)
     ORDER BY a.id DESC LIMIT ?`,
    [viewer ?? null, before ?? Number.MAX_SAFE_INTEGER, limit],
  )
  return rows.map(({ id }) => id)
}

/** Number of active actors that follow an actor, and that it follows. Triggers keep it. */
export function followCounts(
  db: Reader,
  actor: number,
): { readonly followers: number; readonly follows: number } {
  const none = { followers: 0, follows: 0 }
  return db.get('SELECT followers, follows FROM follow_counts WHERE actor = ?', [actor]) ?? none
}

/** Number of an actor's records by name of their collection. */
export function collectionSizes(
  db: Reader,
  actor: number,
  collections: readonly string[],
): Map<string, number> {
  const rows = db.all<{ name: string; records: number }>(
    `SELECT n.nsid AS name, s.records FROM collection_sizes s JOIN collections n ON n.id = s.collection
     WHERE s.actor = ? AND s.collection IN (${collectionIds})`,
    [actor, JSON.stringify(collections)],
  )
  return new Map(rows.map(({ name, records }) => [name, records]))
}
