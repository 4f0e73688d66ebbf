/** Queries over `posts`, `records`, `subjects`, `links` and `link_counts`: what feeds and threads consist of. */
import type { AtUriString } from '@atproto/syntax'
import type { Reader, SqlParams } from '../database.ts'
import type { RecordRow } from './graph.ts'

const columns =
  'r.id, r.actor, a.did, c.nsid AS collection, r.rkey, r.cid, r.bytes, r.indexed_at AS indexedAt'

/**
 * Bytes of a record that views show at most. A valid record may have a megabyte of members that its lexicon does not name, and a
 * page a hundred records.
 */
const maxBytes = 100_000

/** Returns those of the records whose authors are active. */
export function recordsById(db: Reader, ids: readonly number[]): RecordRow[] {
  return db.all<RecordRow>(
    `SELECT ${columns} FROM json_each(?) wanted
     CROSS JOIN records r ON r.id = wanted.value AND length(r.bytes) <= ${maxBytes}
     JOIN actors a ON a.id = r.actor AND a.inactive = 0
     JOIN collections c ON c.id = r.collection`,
    [JSON.stringify(ids)],
  )
}

/** A record's key: DID, record key, and the names of the collection, the preferred one first. */
export type RecordKey = readonly [did: string, rkey: string, collections: readonly string[]]

/** Returns the records under these keys, by position of the key. */
export function recordsByKey(db: Reader, keys: readonly RecordKey[]): Map<number, RecordRow> {
  const rows = db.all<RecordRow & { readonly key: number }>(
    `SELECT k.key, ${columns} FROM json_each(?) k
     CROSS JOIN actors a ON a.did = k.value ->> 0 AND a.inactive = 0
     CROSS JOIN json_each(k.value, '$[2]') name
     CROSS JOIN collections c ON c.nsid = name.value
     CROSS JOIN records r ON r.actor = a.id AND r.collection = c.id AND r.rkey = k.value ->> 1
       AND length(r.bytes) <= ${maxBytes}
     ORDER BY k.key, name.key DESC`,
    [JSON.stringify(keys)],
  )
  return new Map(rows.map((row) => [row.key, row]))
}

/** Paths of links whose subject is a post; see `records/link-paths.ts`. */
export const paths = { like: 1, repost: 3, reply: 5, quote: 7, threadGate: 17, postGate: 18 } as const

const following = 9
const blocking = 10
const listMember = 11
const listOfItem = 12
const listBlock = 13
const mentioned = 8

/** The URIs under which other records refer to a record `r`. @param names one `?`: JSON of the collection's names */
const subjectsOfRecord = `subjects s ON s.actor = r.actor AND s.rkey = r.rkey
  AND s.collection IN (SELECT id FROM collections WHERE nsid IN (SELECT value FROM json_each(?)))`

export interface LinkCount {
  readonly record: number
  readonly path: number
  readonly count: number
}

/** Returns how many records refer to each post, by path; nothing for paths without any. */
export function countLinks(db: Reader, ids: readonly number[], names: readonly string[]): LinkCount[] {
  return db.all<LinkCount>(
    `SELECT r.id AS record, n.path, n.count FROM json_each(?) wanted
     CROSS JOIN records r ON r.id = wanted.value
     CROSS JOIN ${subjectsOfRecord}
     CROSS JOIN link_counts n ON n.subject = s.id AND n.path IN (${Object.values(paths)})`,
    [JSON.stringify(ids), JSON.stringify(names)],
  )
}

export interface OwnLink {
  readonly record: number
  readonly path: number
  readonly uri: AtUriString
}

/** Returns the likes and reposts of posts by one actor, the oldest of each last. */
export function linksBy(
  db: Reader,
  actor: number,
  ids: readonly number[],
  names: readonly string[],
): OwnLink[] {
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
    [JSON.stringify(ids), JSON.stringify(names), actor],
  )
}

/** Returns the positions of those roots whose threads an account mutes. */
export function mutedThreads(db: Reader, account: number, roots: readonly RecordKey[]): number[] {
  const rows = db.all<{ key: number }>(
    `SELECT k.key FROM json_each(?) k
     CROSS JOIN actors a ON a.did = k.value ->> 0
     CROSS JOIN muted_threads m ON m.account = ? AND m.actor = a.id AND m.rkey = k.value ->> 1`,
    [JSON.stringify(roots), account],
  )
  return rows.map(({ key }) => key)
}

/** Position of an entry of feeds; later entries come first. */
export interface FeedPosition {
  /** Milliseconds since 1970. */
  readonly sortAt: number
  /** Record id. */
  readonly record: number
}

/** A post, reply or repost. */
export interface FeedEntry extends FeedPosition {
  readonly actor: number
  readonly kind: number
}

export const kinds = { post: 0, reply: 1, repost: 2 } as const
export const media = { any: 1, video: 2 } as const

/** Before every entry. */
export const newest: FeedPosition = { sortAt: Number.MAX_SAFE_INTEGER, record: Number.MAX_SAFE_INTEGER }

export interface Slice {
  readonly before: FeedPosition
  readonly limit: number
}

const entryColumns = 'p.record, p.actor, p.sort_at AS sortAt, p.kind'

/** Which entries of an author to return. */
export type AuthorFilter = 'all' | 'no replies' | 'media' | 'video'

const conditions: Readonly<Record<AuthorFilter, string>> = {
  all: '',
  'no replies': `AND p.kind <> ${kinds.reply}`,
  // Reposts have no media. The first condition selects the index.
  media: `AND p.media <> 0 AND p.media & ${media.any}`,
  video: `AND p.media <> 0 AND p.media & ${media.video}`,
}

/** Entries of one author. */
export function entriesBy(
  db: Reader,
  actor: number,
  filter: AuthorFilter,
  { before, limit }: Slice,
): FeedEntry[] {
  return db.all<FeedEntry>(
    `SELECT ${entryColumns} FROM posts p
     WHERE p.actor = ? AND (p.sort_at, p.record) < (?, ?) ${conditions[filter]}
     ORDER BY p.sort_at DESC, p.record DESC LIMIT ?`,
    [actor, before.sortAt, before.record, limit],
  )
}

/** Posts of all authors, the last written first. `sortAt` is not compared. */
export function postsOfAll(db: Reader, { before, limit }: Slice): FeedEntry[] {
  return db.all<FeedEntry>(
    `SELECT ${entryColumns} FROM posts p WHERE p.record < ? AND p.kind <> ${kinds.repost}
     ORDER BY p.record DESC LIMIT ?`,
    [before.record, limit],
  )
}

/** Returns those of the records whose bytes contain a text. @param text in lower case; ASCII letters match in both cases */
export function recordsWith(db: Reader, ids: readonly number[], text: string): number[] {
  const rows = db.all<{ id: number }>(
    `SELECT r.id FROM json_each(?) wanted CROSS JOIN records r ON r.id = wanted.value
     WHERE length(r.bytes) <= ${maxBytes} AND instr(lower(CAST(r.bytes AS TEXT)), ?) > 0`,
    [JSON.stringify(ids), text],
  )
  return rows.map(({ id }) => id)
}

/** The actors that an account follows, and the account itself. Parameters: the account, JSON of names, the account. */
const followedActors = `
  SELECT l.subject AS actor FROM records r JOIN links l ON l.record = r.id AND l.path = ${following}
  WHERE r.actor = ? AND r.collection IN (SELECT id FROM collections WHERE nsid IN (SELECT value FROM json_each(?)))
  UNION SELECT ?`

/** Entries of the actors that an account follows and its own, without those of actors that it mutes. */
export function timeline(
  db: Reader,
  account: number,
  followNames: readonly string[],
  slice: Slice,
): FeedEntry[] {
  return merged(db, followedActors, [account, JSON.stringify(followNames), account], account, slice)
}

/** Entries of the members of a list, without those of actors that `account` mutes. @param list subject ids of the list */
export function entriesOfList(
  db: Reader,
  list: readonly number[],
  owner: number,
  account: number | undefined,
  slice: Slice,
): FeedEntry[] {
  const members = `
    SELECT m.subject AS actor FROM links i
    JOIN links m ON m.record = i.record AND m.path = ${listMember}
    WHERE i.subject IN (SELECT value FROM json_each(?)) AND i.path = ${listOfItem} AND i.actor = ? GROUP BY m.subject`
  return merged(db, members, [JSON.stringify(list), owner], account ?? 0, slice)
}

/** Entries that are read of each actor at first. */
const firstDepth = 4

/** Merges the entries of many actors. It reads few entries of each, and more only of those whose entries are all on the page. */
function merged(
  db: Reader,
  actors: string,
  params: SqlParams,
  account: number,
  { before, limit }: Slice,
): FeedEntry[] {
  const depth = Math.min(firstDepth, limit)
  const first = newestOfEach(db, actors, params, { account, before, limit, depth })
  if (depth === limit) return first.slice(0, limit)
  const page = Map.groupBy(first.slice(0, limit), ({ actor }) => actor)
  const more = [...page.values()].flatMap((own) => {
    const last = own.length === depth ? own.at(-1) : undefined
    return last ? entriesBy(db, last.actor, 'all', { before: last, limit: limit - depth }) : []
  })
  return [...first, ...more].sort(byPosition).slice(0, limit)
}

function byPosition(a: FeedPosition, b: FeedPosition): number {
  return b.sortAt - a.sortAt || b.record - a.record
}

/** Returns the newest entries of each actor. Only the `limit` actors with the newest entries can contribute to a page. */
function newestOfEach(
  db: Reader,
  actors: string,
  params: SqlParams,
  { account, before: { sortAt, record }, limit, depth }: Slice & { account: number; depth: number },
): FeedEntry[] {
  return db.all<FeedEntry>(
    `WITH authors (actor) AS (${actors}), newest (actor, at) AS MATERIALIZED (
       SELECT a.id, (
         SELECT p.sort_at FROM posts p WHERE p.actor = a.id AND (p.sort_at, p.record) < (?, ?)
         ORDER BY p.sort_at DESC LIMIT 1) AS at
       FROM authors CROSS JOIN actors a ON a.id = authors.actor AND a.inactive = 0
       WHERE NOT EXISTS (SELECT 1 FROM mutes WHERE account = ? AND subject = a.id)
       ORDER BY at DESC LIMIT ?)
     SELECT ${entryColumns} FROM newest CROSS JOIN posts p ON p.record IN (
       SELECT record FROM posts WHERE actor = newest.actor AND (sort_at, record) < (?, ?)
       ORDER BY sort_at DESC, record DESC LIMIT ?)
     ORDER BY p.sort_at DESC, p.record DESC`,
    [...params, sortAt, record, account, limit, sortAt, record, depth],
  )
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
  names: readonly string[],
  limit: number,
): ReplyLink[] {
  return db.all<ReplyLink>(
    `SELECT r.id AS parent, l.record FROM json_each(?) wanted
     CROSS JOIN records r ON r.id = wanted.value
     CROSS JOIN ${subjectsOfRecord}
     CROSS JOIN links l ON l.subject = s.id AND l.path = ${paths.reply}
     ORDER BY l.record DESC LIMIT ?`,
    [JSON.stringify(ids), JSON.stringify(names), limit],
  )
}

/** Returns the ids of the posts that a reply answers, directly and indirectly: nearest first, at most `height`. */
export function ancestorsOf(db: Reader, id: number, names: readonly string[], height: number): number[] {
  const rows = db.all<{ id: number }>(
    `WITH RECURSIVE ancestors (height, id) AS (
       SELECT 0, ?
       UNION ALL
       SELECT height + 1, (
         SELECT r.id FROM links l
         JOIN subjects s ON s.id = l.subject
         JOIN records r ON r.actor = s.actor AND r.rkey = s.rkey
           AND r.collection IN (SELECT id FROM collections WHERE nsid IN (SELECT value FROM json_each(?)))
         WHERE l.record = ancestors.id AND l.path = ${paths.reply}
         ORDER BY r.collection = s.collection DESC LIMIT 1)
       FROM ancestors WHERE height < ? AND id IS NOT NULL)
     SELECT id FROM ancestors WHERE height > 0 AND id IS NOT NULL ORDER BY height`,
    [id, JSON.stringify(names), height],
  )
  return rows.map((row) => row.id)
}

/** Returns the ids of a URI under all names of its collection, for the functions below. */
export function subjectIds(db: Reader, [did, rkey, names]: RecordKey): number[] {
  const rows = db.all<{ id: number }>(
    `SELECT s.id FROM actors a JOIN subjects s ON s.actor = a.id AND s.rkey = ?
       AND s.collection IN (SELECT id FROM collections WHERE nsid IN (SELECT value FROM json_each(?)))
     WHERE a.did = ?`,
    [rkey, JSON.stringify(names), did],
  )
  return rows.map(({ id }) => id)
}

interface LinkPage {
  readonly path: number
  /** Record id: the page has older ones. */
  readonly before: number | undefined
  readonly limit: number
}

/** Returns the actors who refer to a subject, by their newest record. */
export function linkingActors(
  db: Reader,
  subjects: readonly number[],
  { path, before = Number.MAX_SAFE_INTEGER, limit }: LinkPage,
): { actor: number; record: number }[] {
  return db.all(
    `SELECT l.actor, max(l.record) AS record FROM links l JOIN actors a ON a.id = l.actor AND a.inactive = 0
     WHERE l.subject IN (SELECT value FROM json_each(?)) AND l.path = ?
     GROUP BY l.actor HAVING max(l.record) < ? ORDER BY record DESC LIMIT ?`,
    [JSON.stringify(subjects), path, before, limit],
  )
}

/** Returns the records that refer to a subject, newest first. */
export function linkingRecords(
  db: Reader,
  subjects: readonly number[],
  { path, before = Number.MAX_SAFE_INTEGER, limit }: LinkPage,
): number[] {
  const rows = db.all<{ record: number }>(
    `SELECT DISTINCT record FROM links
     WHERE subject IN (SELECT value FROM json_each(?)) AND path = ? AND record < ? ORDER BY record DESC LIMIT ?`,
    [JSON.stringify(subjects), path, before, limit],
  )
  return rows.map(({ record }) => record)
}

/** Returns the newest records of an actor in a collection, by record key. @param before record key */
export function recordsOf(
  db: Reader,
  actor: number,
  names: readonly string[],
  { before, limit }: { before: string | undefined; limit: number },
): RecordRow[] {
  // Sorts after every character of record keys.
  const end = before ?? '\x7f'
  return db.all<RecordRow>(
    `SELECT ${columns} FROM json_each(?) name
     CROSS JOIN collections c ON c.nsid = name.value
     CROSS JOIN records r ON r.id IN (
       SELECT id FROM records
       WHERE actor = ? AND collection = c.id AND rkey < ? AND length(bytes) <= ${maxBytes} ORDER BY rkey DESC LIMIT ?)
     JOIN actors a ON a.id = r.actor
     ORDER BY r.rkey DESC LIMIT ?`,
    [JSON.stringify(names), actor, end, limit, limit],
  )
}

/** A pair of actors. */
export type Pair = readonly [one: number, other: number]

/** Returns the positions of the pairs in which either actor blocks the other, directly or by a list. */
export function blockedPairs(db: Reader, pairs: readonly Pair[]): Set<number> {
  const blocks = (blocker: string, blocked: string) => `
    EXISTS (SELECT 1 FROM links WHERE subject = ${blocked} AND path = ${blocking} AND actor = ${blocker})
    OR EXISTS (
      SELECT 1 FROM links m
      JOIN links i ON i.record = m.record AND i.path = ${listOfItem}
      JOIN subjects s ON s.id = i.subject AND s.actor = m.actor
      JOIN links b ON b.subject = i.subject AND b.path = ${listBlock} AND b.actor = ${blocker}
      WHERE m.subject = ${blocked} AND m.path = ${listMember})`
  const rows = db.all<{ key: number }>(
    `SELECT key FROM (SELECT key, value ->> 0 AS one, value ->> 1 AS other FROM json_each(?)) pair
     WHERE ${blocks('pair.one', 'pair.other')} OR ${blocks('pair.other', 'pair.one')}`,
    [JSON.stringify(pairs)],
  )
  return new Set(rows.map(({ key }) => key))
}

/** Whether an actor follows another. */
export function follows(db: Reader, actor: number, subject: number): boolean {
  const sql = `SELECT 1 FROM links WHERE subject = ? AND path = ${following} AND actor = ?`
  return db.get(sql, [subject, actor]) !== undefined
}

/** Whether a post mentions an actor. */
export function mentions(db: Reader, post: number, actor: number): boolean {
  const sql = `SELECT 1 FROM links WHERE record = ? AND path = ${mentioned} AND subject = ?`
  return db.get(sql, [post, actor]) !== undefined
}

/** Whether a list of its owner has an actor as a member. @param list subject ids of the list */
export function isListed(db: Reader, list: readonly number[], actor: number): boolean {
  return (
    db.get(
      `SELECT 1 FROM links m
       JOIN links i ON i.record = m.record AND i.path = ${listOfItem}
         AND i.subject IN (SELECT value FROM json_each(?))
       JOIN subjects s ON s.id = i.subject AND s.actor = m.actor
       WHERE m.subject = ? AND m.path = ${listMember}`,
      [JSON.stringify(list), actor],
    ) !== undefined
  )
}
