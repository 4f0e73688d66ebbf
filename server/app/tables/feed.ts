/** Queries over `posts`: entries of feeds, the newest first. */

import { paths } from '../../repository/format/link-paths.ts'
import type { Reader, SqlParams } from '../../store/database.ts'
import { collectionId } from '../../store/tables/collections.ts'

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

/** Posts of all authors in descending order of their ids; `sortAt` of the position is ignored. */
export function postsOfAll(db: Reader, { before, limit }: Slice): FeedEntry[] {
  return db.all<FeedEntry>(
    `SELECT ${entryColumns} FROM posts p WHERE p.record < ? AND p.kind <> ${kinds.repost}
     ORDER BY p.record DESC LIMIT ?`,
    [before.record, limit],
  )
}

/** The actors that an account follows, and the account itself. Parameters: the account, the collection of follows, the account. */
const followedActors = `
  SELECT l.subject AS actor FROM records r JOIN links l ON l.record = r.id AND l.path = ${paths.follow}
  WHERE r.actor = ? AND r.collection = ${collectionId}
  UNION SELECT ?`

/** Entries of the actors that an account follows and its own, without entries of actors that it mutes. */
export function timeline(db: Reader, account: number, collection: string, slice: Slice): FeedEntry[] {
  return merged(db, followedActors, [account, collection, account], account, slice)
}

/** Entries of the members of a list, without entries of actors that `account` mutes. @param list subject id of the list */
export function entriesOfList(
  db: Reader,
  list: number,
  owner: number,
  account: number | undefined,
  slice: Slice,
): FeedEntry[] {
  const members = `
    SELECT m.subject AS actor FROM links i
    JOIN links m ON m.record = i.record AND m.path = ${paths.member}
    WHERE i.subject = ? AND i.path = ${paths.list} AND i.actor = ? GROUP BY m.subject`
  return merged(db, members, [list, owner], account ?? 0, slice)
}

/** Entries that are read of each actor at first. */
const firstDepth = 4

/** Merges the entries of many actors. It reads few entries of each, and more only where all of them are on the page. */
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
