/**
 * Blocks and mutes between actors, directly or by a list, in tables `links`, `mutes` and `muted_lists`. Records refer to a list
 * by any name of its collection, so lists are matched by owner and key. Only items that the owner of a list wrote count.
 */

import { paths } from '../../repository/format/link-paths.ts'
import type { Reader } from '../../store/database.ts'
import { actorId } from '../../store/tables/actors.ts'

/** A list by its owner and key. */
export interface List {
  readonly did: string
  readonly rkey: string
}

/** Members `i` of the lists `s`. */
const itemsOfLists = `
  subjects s JOIN links il ON il.subject = s.id AND il.path = ${paths.list} AND il.actor = s.actor
  JOIN links i ON i.record = il.record AND i.path = ${paths.member}`

const named = (name: string) => `(SELECT id FROM collections WHERE name = '${name}')`

/** SQL condition: whether a list, which must exist, has a member. The arguments are SQL expressions. */
const hasMember = (owner: string, rkey: string, member: string) => `(
  EXISTS (SELECT 1 FROM links i JOIN links il ON il.record = i.record AND il.path = ${paths.list}
    JOIN subjects s ON s.id = il.subject AND s.actor = ${owner} AND s.rkey = ${rkey}
    WHERE i.subject = ${member} AND i.path = ${paths.member} AND i.actor = ${owner})
  AND EXISTS (SELECT 1 FROM records WHERE actor = ${owner} AND collection IN ${named('graph.list')} AND rkey = ${rkey}))`

// Lists are found through the accounts that use them: anyone can put an actor on any number of lists.
const blocks = (actor: string, subject: string) => `(
  EXISTS (SELECT 1 FROM links WHERE subject = ${subject} AND path = ${paths.block} AND actor = ${actor})
  OR EXISTS (SELECT 1 FROM records b CROSS JOIN links bl ON bl.record = b.id AND bl.path = ${paths.listBlock}
    CROSS JOIN subjects t ON t.id = bl.subject
    WHERE b.actor = ${actor} AND b.collection IN ${named('graph.listblock')}
      AND ${hasMember('t.actor', 't.rkey', subject)}))`

/** SQL condition: whether one of two actors, given as SQL expressions of their ids, blocks the other. */
export const blockedSql = (a: string, b: string) => `(${blocks(a, b)} OR ${blocks(b, a)})`

/** SQL condition: whether an account mutes an actor. */
export const mutedSql = (account: string, actor: string) => `(
  EXISTS (SELECT 1 FROM mutes WHERE account = ${account} AND subject = ${actor})
  OR EXISTS (SELECT 1 FROM muted_lists m WHERE m.account = ${account} AND ${hasMember('m.actor', 'm.rkey', actor)}))`

/** Ids of the members of a list, whether or not it exists. */
export function membersOf(db: Reader, { did, rkey }: List): number[] {
  const rows = db.all<{ id: number }>(
    `SELECT DISTINCT i.subject AS id FROM ${itemsOfLists} WHERE s.actor = ${actorId} AND s.rkey = ?`,
    [did, rkey],
  )
  return rows.map(({ id }) => id)
}

/** Ids of the actors that block or mute the members of a list, whether or not it exists. */
export function usersOf(db: Reader, { did, rkey }: List): number[] {
  const rows = db.all<{ id: number }>(
    `SELECT b.actor AS id FROM subjects s JOIN links b ON b.subject = s.id AND b.path = ${paths.listBlock}
     WHERE s.actor = ${actorId} AND s.rkey = ?
     UNION SELECT account FROM muted_lists WHERE actor = ${actorId} AND rkey = ?`,
    [did, rkey, did, rkey],
  )
  return rows.map(({ id }) => id)
}

/** The lists of an owner that others may use: lists with members. */
export function listsOf(db: Reader, did: string): List[] {
  return db.all<List>(
    `SELECT DISTINCT a.did, s.rkey FROM actors a JOIN subjects s ON s.actor = a.id
     JOIN links il ON il.subject = s.id AND il.path = ${paths.list} AND il.actor = a.id WHERE a.did = ?`,
    [did],
  )
}
