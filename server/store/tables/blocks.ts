/**
 * Blocks and mutes between actors, directly or by a list, in tables `links`, `mutes` and `muted_lists`. Records refer to a list
 * by any name of its collection, so lists are matched by owner and key. Only items that the owner of a list wrote count.
 */
import type { Reader } from '../database.ts'
import { actorId } from './actors.ts'

/** A list by its owner and key. */
export interface List {
  readonly did: string
  readonly rkey: string
}

/** Members `i` of the lists `s`. */
const itemsOfLists = `
  subjects s JOIN links il ON il.subject = s.id AND il.path = 12 AND il.actor = s.actor
  JOIN links i ON i.record = il.record AND i.path = 11`

/** Lists `s` that have the member. Deleted lists have none. */
const listsWith = (member: string) => `
  links i JOIN links il ON il.record = i.record AND il.path = 12
  JOIN subjects s ON s.id = il.subject AND s.actor = il.actor
  WHERE i.subject = ${member} AND i.path = 11 AND EXISTS (
    SELECT 1 FROM records WHERE actor = s.actor AND rkey = s.rkey
      AND collection IN (SELECT id FROM collections WHERE nsid LIKE '%.graph.list'))`

const blocks = (actor: string, subject: string) => `(
  EXISTS (SELECT 1 FROM links WHERE subject = ${subject} AND path = 10 AND actor = ${actor})
  OR EXISTS (SELECT 1 FROM ${listsWith(subject)} AND EXISTS (
    SELECT 1 FROM subjects t JOIN links b ON b.subject = t.id AND b.path = 13 AND b.actor = ${actor}
    WHERE t.actor = s.actor AND t.rkey = s.rkey)))`

/** SQL condition: whether one of two actors, given as SQL expressions of their ids, blocks the other. */
export const blockedSql = (a: string, b: string) => `(${blocks(a, b)} OR ${blocks(b, a)})`

/** SQL condition: whether an account mutes an actor. */
export const mutedSql = (account: string, actor: string) => `(
  EXISTS (SELECT 1 FROM mutes WHERE account = ${account} AND subject = ${actor})
  OR EXISTS (SELECT 1 FROM muted_lists m WHERE m.account = ${account} AND EXISTS (
    SELECT 1 FROM ${listsWith(actor)} AND s.actor = m.actor AND s.rkey = m.rkey)))`

/** Whether one of two actors blocks the other. */
export function isBlocked(db: Reader, did: string, other: string): boolean {
  const row = db.get<{ blocked: number }>(
    `SELECT ${blockedSql('a.id', 'b.id')} AS blocked FROM actors a, actors b WHERE a.did = ? AND b.did = ?`,
    [did, other],
  )
  return row?.blocked === 1
}

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
    `SELECT b.actor AS id FROM subjects s JOIN links b ON b.subject = s.id AND b.path = 13
     WHERE s.actor = ${actorId} AND s.rkey = ?
     UNION SELECT account FROM muted_lists WHERE actor = ${actorId} AND rkey = ?`,
    [did, rkey, did, rkey],
  )
  return rows.map(({ id }) => id)
}

/** The lists of an owner that others may use: those with members. */
export function listsOf(db: Reader, did: string): List[] {
  return db.all<List>(
    `SELECT DISTINCT a.did, s.rkey FROM actors a JOIN subjects s ON s.actor = a.id
     JOIN links il ON il.subject = s.id AND il.path = 12 AND il.actor = a.id WHERE a.did = ?`,
    [did],
  )
}
