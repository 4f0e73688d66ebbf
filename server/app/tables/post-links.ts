/** Queries over `links`, `link_counts` and `subjects`: likes, reposts, replies and quotes of posts, and relations between actors. */
import type { AtUriString } from '@atproto/syntax'
import type { NamedRecord } from '../../federation/tables/remote-interest.ts'
import { paths } from '../../repository/format/link-paths.ts'
import type { Reader } from '../../store/database.ts'
import { actorId } from '../../store/tables/actors.ts'
import { collectionId } from '../../store/tables/collections.ts'
import type { RecordKey } from './view-records.ts'

/** Paths whose subject is a post, of links that are counted. */
const countedPaths = [paths.like, paths.repost, paths.reply, paths.quote, paths.threadGate, paths.postGate]

/** The subject by which other records refer to a record `r`. One `?`: the collection. */
const subjectsOfRecord = `subjects s ON s.actor = r.actor AND s.rkey = r.rkey
  AND s.collection = ${collectionId}`

export interface LinkCount {
  readonly record: number
  readonly path: number
  readonly count: number
}

/** Returns how many records refer to each post, by path; leaves out paths of zero. */
export function countLinks(db: Reader, ids: readonly number[], collection: string): LinkCount[] {
  return db.all<LinkCount>(
    `SELECT r.id AS record, n.path, n.count FROM json_each(?) wanted
     CROSS JOIN records r ON r.id = wanted.value
     CROSS JOIN ${subjectsOfRecord}
     CROSS JOIN link_counts n ON n.subject = s.id AND n.path IN (${countedPaths})`,
    [JSON.stringify(ids), collection],
  )
}

export interface OwnLink {
  readonly record: number
  readonly path: number
  readonly uri: AtUriString
}

/** Returns the likes and reposts of posts by one actor, the oldest of each last. */
export function linksBy(db: Reader, actor: number, ids: readonly number[], collection: string): OwnLink[] {
  return db.all<OwnLink>(
    `SELECT r.id AS record, l.path, 'at://' || a.did || '/' || c.nsid || '/' || o.rkey AS uri
     FROM json_each(?) wanted
     CROSS JOIN records r ON r.id = wanted.value
     CROSS JOIN ${subjectsOfRecord}
     CROSS JOIN links l ON l.subject = s.id AND l.path IN (${paths.like}, ${paths.repost}) AND l.actor = ?
     CROSS JOIN records o ON o.id = l.record
     JOIN actors a ON a.id = o.actor
     JOIN collections c ON c.id = o.collection
     ORDER BY o.id DESC`,
    [JSON.stringify(ids), collection, actor],
  )
}

/** Returns the posts above a reply, its parent first, as far as the posts between are stored. @param limit their number at most */
export function ancestors(db: Reader, reply: number, limit: number): NamedRecord[] {
  return db.all<NamedRecord>(
    `WITH RECURSIVE above (height, subject) AS (
       SELECT 1, subject FROM links WHERE record = ? AND path = ${paths.reply}
       UNION ALL
       SELECT above.height + 1, l.subject FROM above
         CROSS JOIN subjects s ON s.id = above.subject
         CROSS JOIN records r ON r.actor = s.actor AND r.collection = s.collection AND r.rkey = s.rkey
         CROSS JOIN links l ON l.record = r.id AND l.path = ${paths.reply}
       WHERE above.height < ?)
     SELECT a.did, c.nsid AS collection, s.rkey FROM above
       CROSS JOIN subjects s ON s.id = above.subject
       CROSS JOIN actors a ON a.id = s.actor
       CROSS JOIN collections c ON c.id = s.collection
     ORDER BY above.height`,
    [reply, limit],
  )
}

/** Returns the positions of roots whose threads an account mutes. */
export function mutedThreads(db: Reader, account: number, roots: readonly RecordKey[]): number[] {
  const rows = db.all<{ key: number }>(
    `SELECT k.key FROM json_each(?) k
     CROSS JOIN actors a ON a.did = k.value ->> 0
     CROSS JOIN muted_threads m ON m.account = ? AND m.actor = a.id AND m.rkey = k.value ->> 1`,
    [JSON.stringify(roots), account],
  )
  return rows.map(({ key }) => key)
}

/** A reply and the post that it answers. */
export interface ReplyLink {
  readonly parent: number
  readonly record: number
}

/** Returns the replies to posts, newest first. */
export function repliesTo(
  db: Reader,
  ids: readonly number[],
  collection: string,
  limit: number,
): ReplyLink[] {
  return db.all<ReplyLink>(
    `SELECT r.id AS parent, l.record FROM json_each(?) wanted
     CROSS JOIN records r ON r.id = wanted.value
     CROSS JOIN ${subjectsOfRecord}
     CROSS JOIN links l ON l.subject = s.id AND l.path = ${paths.reply}
     ORDER BY l.record DESC LIMIT ?`,
    [JSON.stringify(ids), collection, limit],
  )
}

/** Returns the ids of the posts that a reply answers, directly and indirectly: nearest first, at most `height`. */
export function ancestorsOf(db: Reader, id: number, collection: string, height: number): number[] {
  const rows = db.all<{ id: number }>(
    `WITH RECURSIVE ancestors (height, id) AS (
       SELECT 0, ?
       UNION ALL
       SELECT height + 1, (
         SELECT r.id FROM links l
         JOIN subjects s ON s.id = l.subject
         JOIN records r ON r.actor = s.actor AND r.rkey = s.rkey AND r.collection = s.collection
         WHERE l.record = ancestors.id AND l.path = ${paths.reply} AND s.collection = ${collectionId}
         ORDER BY r.id LIMIT 1)
       FROM ancestors WHERE height < ? AND id IS NOT NULL)
     SELECT id FROM ancestors WHERE height > 0 AND id IS NOT NULL ORDER BY height`,
    [id, collection, height],
  )
  return rows.map((row) => row.id)
}

/** Returns the id of a subject, for the functions below; 0 if nothing refers to it. */
export function subjectId(db: Reader, [did, rkey, collection]: RecordKey): number {
  const row = db.get<{ id: number }>(
    `SELECT id FROM subjects WHERE actor = ${actorId} AND rkey = ? AND collection = ${collectionId}`,
    [did, rkey, collection],
  )
  return row?.id ?? 0
}

export interface LinkPage {
  readonly path: number
  /** Record id: the page has older ones. */
  readonly before: number | undefined
  readonly limit: number
}

/** Returns the actors who refer to a subject, by their newest record. */
export function linkingActors(
  db: Reader,
  subject: number,
  { path, before = Number.MAX_SAFE_INTEGER, limit }: LinkPage,
): { actor: number; record: number }[] {
  return db.all(
    `SELECT l.actor, max(l.record) AS record FROM links l JOIN actors a ON a.id = l.actor AND a.inactive = 0
     WHERE l.subject = ? AND l.path = ?
     GROUP BY l.actor HAVING max(l.record) < ? ORDER BY record DESC LIMIT ?`,
    [subject, path, before, limit],
  )
}

/** Returns the records that refer to a subject, newest first. */
export function linkingRecords(
  db: Reader,
  subject: number,
  { path, before = Number.MAX_SAFE_INTEGER, limit }: LinkPage,
): number[] {
  const rows = db.all<{ record: number }>(
    `SELECT DISTINCT record FROM links
     WHERE subject = ? AND path = ? AND record < ? ORDER BY record DESC LIMIT ?`,
    [subject, path, before, limit],
  )
  return rows.map(({ record }) => record)
}

/** A pair of actors. */
export type Pair = readonly [one: number, other: number]

/** Returns the positions of the pairs in which either actor blocks the other, directly or by a list. */
export function blockedPairs(db: Reader, pairs: readonly Pair[]): Set<number> {
  const blocks = (blocker: string, blocked: string) => `
    EXISTS (SELECT 1 FROM links WHERE subject = ${blocked} AND path = ${paths.block} AND actor = ${blocker})
    OR EXISTS (
      SELECT 1 FROM links m
      JOIN links i ON i.record = m.record AND i.path = ${paths.list}
      JOIN subjects s ON s.id = i.subject AND s.actor = m.actor
      JOIN links b ON b.subject = i.subject AND b.path = ${paths.listBlock} AND b.actor = ${blocker}
      WHERE m.subject = ${blocked} AND m.path = ${paths.member})`
  const rows = db.all<{ key: number }>(
    `SELECT key FROM (SELECT key, value ->> 0 AS one, value ->> 1 AS other FROM json_each(?)) pair
     WHERE ${blocks('pair.one', 'pair.other')} OR ${blocks('pair.other', 'pair.one')}`,
    [JSON.stringify(pairs)],
  )
  return new Set(rows.map(({ key }) => key))
}

/** Whether an actor follows another. */
export function follows(db: Reader, actor: number, subject: number): boolean {
  const sql = `SELECT 1 FROM links WHERE subject = ? AND path = ${paths.follow} AND actor = ?`
  return db.get(sql, [subject, actor]) !== undefined
}

/** Whether a post mentions an actor. */
export function mentions(db: Reader, post: number, actor: number): boolean {
  const sql = `SELECT 1 FROM links WHERE record = ? AND path = ${paths.mention} AND subject = ?`
  return db.get(sql, [post, actor]) !== undefined
}

/** Whether a list of its owner has an actor as a member. @param list subject id of the list */
export function isListed(db: Reader, list: number, actor: number): boolean {
  return (
    db.get(
      `SELECT 1 FROM links m
       JOIN links i ON i.record = m.record AND i.path = ${paths.list} AND i.subject = ?
       JOIN subjects s ON s.id = i.subject AND s.actor = m.actor
       WHERE m.subject = ? AND m.path = ${paths.member}`,
      [list, actor],
    ) !== undefined
  )
}
