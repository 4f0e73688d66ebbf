/** Queries for actors and records of other servers that accounts here take an interest in. */

import { actorPaths, paths } from '../../repository/format/link-paths.ts'
import type { Reader, SqlParams } from '../../store/database.ts'
import * as actors from '../../store/tables/actors.ts'
import { blockedSql, mutedSql } from './blocks.ts'

/** SQL condition: whether an account here follows an actor. */
const isFollowed = (actor: string) =>
  `EXISTS (SELECT 1 FROM links f CROSS JOIN accounts c ON c.id = f.actor WHERE f.subject = ${actor} AND f.path = ${paths.follow})`

/** SQL condition: whether an account here follows an actor or is subscribed to its posts. */
export const watchedSql = (actor: string) =>
  `(${isFollowed(actor)} OR EXISTS (SELECT 1 FROM activity_subscriptions WHERE subject = ${actor}))`

/** Whether an account here follows an actor or is subscribed to its posts. */
export function isWatched(db: Reader, did: string): boolean {
  return db.get(`SELECT 1 FROM actors a WHERE a.did = ? AND ${watchedSql('a.id')}`, [did]) !== undefined
}

/** SQL condition: whether an account here blocks or mutes by a list. The arguments are SQL expressions. */
export const usedListSql = (owner: string, rkey: string) => `(
  EXISTS (SELECT 1 FROM muted_lists WHERE actor = ${owner} AND rkey = ${rkey})
  OR EXISTS (SELECT 1 FROM subjects u CROSS JOIN links b ON b.subject = u.id AND b.path = ${paths.listBlock}
       CROSS JOIN accounts c ON c.id = b.actor WHERE u.actor = ${owner} AND u.rkey = ${rkey}))`

/** Whether an account here blocks or mutes by a list. */
export function isUsedList(db: Reader, { did, rkey }: Pick<NamedRecord, 'did' | 'rkey'>): boolean {
  return (
    db.get(`SELECT 1 FROM actors a WHERE a.did = ? AND ${usedListSql('a.id', '?')}`, [did, rkey, rkey]) !==
    undefined
  )
}

/** Whether an account here blocks or mutes by a list of an actor. */
export function hasUsedList(db: Reader, did: string): boolean {
  const row = db.get(
    `SELECT 1 FROM actors a WHERE a.did = ? AND (EXISTS (SELECT 1 FROM muted_lists WHERE actor = a.id)
       OR EXISTS (SELECT 1 FROM subjects u CROSS JOIN links b ON b.subject = u.id AND b.path = ${paths.listBlock}
            CROSS JOIN accounts c ON c.id = b.actor
            WHERE u.actor = a.id AND u.collection IN (SELECT id FROM collections WHERE name = 'graph.list')))`,
    [did],
  )
  return row !== undefined
}

/** Whether a record of an actor was stored before a time. */
export function isStoredSince(db: Reader, did: string, before: number): boolean {
  return (
    db.get(
      'SELECT 1 FROM records WHERE actor = (SELECT id FROM actors WHERE did = ?) AND indexed_at < ? LIMIT 1',
      [did, before],
    ) !== undefined
  )
}

/** SQL condition: whether a record or an account here refers to an actor, or a notification is of it. */
export const referredToSql = (actor: string) => `(
  EXISTS (SELECT 1 FROM notifications WHERE author = ${actor})
  OR ${watchedSql(actor)}
  OR EXISTS (SELECT 1 FROM mutes WHERE subject = ${actor})
  OR EXISTS (SELECT 1 FROM muted_lists WHERE actor = ${actor})
  OR EXISTS (SELECT 1 FROM links l CROSS JOIN accounts c ON c.id = l.actor
       WHERE l.subject = ${actor} AND l.path IN ${actorPaths})
  OR EXISTS (SELECT 1 FROM subjects s CROSS JOIN links l ON l.subject = s.id AND l.path NOT IN ${actorPaths}
       CROSS JOIN accounts c ON c.id = l.actor WHERE s.actor = ${actor}))`

/** Whether something of an actor is stored, or a record or an account here refers to it. */
export function isKnown(db: Reader, did: string): boolean {
  const row = db.get(
    `SELECT 1 FROM actors a WHERE a.did = ?
       AND (EXISTS (SELECT 1 FROM records WHERE actor = a.id) OR ${referredToSql('a.id')})`,
    [did],
  )
  return row !== undefined
}

/** A record by its author, its collection and its key. */
export interface NamedRecord {
  readonly did: string
  readonly collection: string
  readonly rkey: string
}

const recordParams = ({ did, collection, rkey }: NamedRecord) => [did, rkey, collection]
const collectionId = '(SELECT id FROM collections WHERE nsid = ?3)'

export function isStored(db: Reader, record: NamedRecord): boolean {
  const row = db.get(
    `SELECT 1 FROM actors a CROSS JOIN records r ON r.actor = a.id AND r.collection = ${collectionId} AND r.rkey = ?2
     WHERE a.did = ?1`,
    recordParams(record),
  )
  return row !== undefined
}

/** Whether a record of an account here refers to a record, or a repost or quote of an actor that an account here follows. */
export function isSubject(db: Reader, record: NamedRecord): boolean {
  const row = db.get(
    `SELECT 1 FROM actors a CROSS JOIN subjects s ON s.actor = a.id AND s.rkey = ?2 AND s.collection = ${collectionId}
     CROSS JOIN links l ON l.subject = s.id AND l.path NOT IN ${actorPaths}
     WHERE a.did = ?1 AND (EXISTS (SELECT 1 FROM accounts WHERE id = l.actor)
       OR (l.path IN (${paths.repost}, ${paths.quote}) AND ${isFollowed('l.actor')}))`,
    recordParams(record),
  )
  return row !== undefined
}

/** Whether an author may notify one of some accounts: a mute of the account, and a block by either side, forbid it. @param dids of the accounts */
export function isWelcome(db: Reader, author: string, dids: readonly string[]): boolean {
  return isAccepted(db, author, 'SELECT id FROM accounts WHERE did IN (SELECT value FROM json_each(?2))', [
    JSON.stringify(dids),
  ])
}

/** As `isWelcome`, for the accounts that watch an author. */
export function isRead(db: Reader, author: string): boolean {
  const watchers = `
    SELECT f.actor AS id FROM links f CROSS JOIN accounts c ON c.id = f.actor WHERE f.subject = ?1 AND f.path = ${paths.follow}
    UNION ALL SELECT account FROM activity_subscriptions WHERE subject = ?1`
  return isWatched(db, author) && isAccepted(db, author, watchers, [])
}

/** @param accounts selects ids; its parameters begin with `?2`, after the id of the author */
function isAccepted(db: Reader, author: string, accounts: string, params: SqlParams): boolean {
  const actor = actors.idOf(db, author)
  // Most authors are not avoided by anyone, and the query below takes many times as long.
  if (actor === undefined || !isAvoided(db, actor)) return true
  const row = db.get(
    `SELECT 1 FROM (${accounts}) w WHERE NOT ${mutedSql('w.id', '?1')} AND NOT ${blockedSql('w.id', '?1')} LIMIT 1`,
    [actor, ...params],
  )
  return row !== undefined
}

/** Whether anyone mutes or blocks an author, has it on a list, or is blocked by it. */
function isAvoided(db: Reader, actor: number): boolean {
  const row = db.get(
    `SELECT 1 WHERE EXISTS (SELECT 1 FROM mutes WHERE subject = ?1)
       OR EXISTS (SELECT 1 FROM links WHERE subject = ?1 AND path IN (${paths.block}, ${paths.member}))
       OR EXISTS (SELECT 1 FROM collection_sizes z CROSS JOIN collections c ON c.id = z.collection
            WHERE z.actor = ?1 AND c.name = 'graph.block')`,
    [actor],
  )
  return row !== undefined
}
