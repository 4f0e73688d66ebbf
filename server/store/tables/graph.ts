/** Queries over `actors`, `links` and `mutes`: who an actor is, and the relations between actors. */
import type { AtUriString, DidString, HandleString } from '@atproto/syntax'
import type { DatetimeString } from '../../util/time.ts'
import type { Reader } from '../database.ts'

export function actorIdOf(db: Reader, did: string): number | undefined {
  return db.get<{ id: number }>('SELECT id FROM actors WHERE did = ?', [did])?.id
}

/** An actor with its newest profile record, if it has one. */
export interface ActorRow {
  readonly id: number
  readonly did: DidString
  /** 1: deactivated, suspended or taken down. */
  readonly inactive: number
  /** Null for an actor without an account here, as `createdAt`. */
  readonly handle: HandleString | null
  readonly createdAt: DatetimeString | null
  /** Name of the profile's collection, as it was written; null without a profile, as the following. */
  readonly collection: string | null
  readonly cid: Uint8Array | null
  readonly bytes: Uint8Array | null
  /** Milliseconds since 1970. */
  readonly indexedAt: number | null
}

/** @param profileNames names of the collection of profiles */
export function actors(db: Reader, ids: readonly number[], profileNames: readonly string[]): ActorRow[] {
  return db.all<ActorRow>(
    `SELECT a.id, a.did, a.inactive, c.handle, c.created_at AS createdAt,
       n.nsid AS collection, r.cid, r.bytes, r.indexed_at AS indexedAt
     FROM json_each(?) wanted CROSS JOIN actors a ON a.id = wanted.value
     LEFT JOIN accounts c ON c.id = a.id
     LEFT JOIN records r ON r.id = (
       SELECT p.id FROM records p
       WHERE p.actor = a.id AND p.rkey = 'self'
         AND p.collection IN (SELECT id FROM collections WHERE nsid IN (SELECT value FROM json_each(?)))
       ORDER BY p.indexed_at DESC LIMIT 1)
     LEFT JOIN collections n ON n.id = r.collection`,
    [JSON.stringify(ids), JSON.stringify(profileNames)],
  )
}

/** What a viewer and an actor are to each other. Record ids are those of the oldest record. */
export interface RelationRow {
  readonly actor: number
  readonly following: number | null
  readonly followedBy: number | null
  readonly blocking: number | null
  readonly blockedBy: number | null
  readonly muted: number
}

export function relations(db: Reader, viewer: number, ids: readonly number[]): RelationRow[] {
  return db.all<RelationRow>(
    `SELECT s.value AS actor,
       (SELECT min(record) FROM links WHERE subject = s.value AND path = 9 AND actor = v.id) AS following,
       (SELECT min(record) FROM links WHERE subject = v.id AND path = 9 AND actor = s.value) AS followedBy,
       (SELECT min(record) FROM links WHERE subject = s.value AND path = 10 AND actor = v.id) AS blocking,
       (SELECT min(record) FROM links WHERE subject = v.id AND path = 10 AND actor = s.value) AS blockedBy,
       EXISTS (SELECT 1 FROM mutes WHERE account = v.id AND subject = s.value) AS muted
     FROM (SELECT ? AS id) v CROSS JOIN json_each(?) s`,
    [viewer, JSON.stringify(ids)],
  )
}

/** Returns the AT URIs of records by their ids. */
export function recordUris(db: Reader, ids: readonly number[]): Map<number, AtUriString> {
  const rows = db.all<{ id: number; uri: AtUriString }>(
    `SELECT r.id, 'at://' || a.did || '/' || c.nsid || '/' || r.rkey AS uri
     FROM json_each(?) wanted CROSS JOIN records r ON r.id = wanted.value
     JOIN actors a ON a.id = r.actor JOIN collections c ON c.id = r.collection`,
    [JSON.stringify(ids)],
  )
  return new Map(rows.map(({ id, uri }) => [id, uri]))
}
