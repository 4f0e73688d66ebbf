/**
 * Queries over lists, and table `muted_lists`. A list is identified by the id of its record. Only items that the owner of a list
 * wrote count. Paths (see
 * `link-paths.ts`): 11 and 12 are the subject and the list of an item, 13 the list of a listblock.
 */

import type { PageOf, RelatedActor } from '../../federation/tables/graph.ts'
import { paths } from '../../repository/format/link-paths.ts'
import type { Reader } from '../../store/database.ts'
import { collectionId } from '../../store/tables/collections.ts'

/** Joins the items `i` of a list that has the alias `list`, with their subjects. */
const items = `
  subjects s CROSS JOIN links il ON il.subject = s.id AND il.path = ${paths.list} AND il.actor = list.actor
  CROSS JOIN links i ON i.record = il.record AND i.path = ${paths.member}`
const ofList = 's.actor = list.actor AND s.rkey = list.rkey'

/** Joins the lists `list` that the listblock records `b` refer to. CROSS JOIN keeps the order: few actors block lists. */
const blockedLists = `
  records b CROSS JOIN links bl ON bl.record = b.id AND bl.path = ${paths.listBlock}
  CROSS JOIN subjects bs ON bs.id = bl.subject
  CROSS JOIN records list ON list.actor = bs.actor AND list.rkey = bs.rkey AND list.collection = ${collectionId}`

/** Joins the item `i` by which the actor `a.value` is on a list. */
const membership = `
  links i ON i.subject = a.value AND i.path = ${paths.member} AND i.actor = list.actor
  CROSS JOIN links il ON il.record = i.record AND il.path = ${paths.list}
  CROSS JOIN subjects s ON s.id = il.subject AND ${ofList}`

/** Names of the collections of lists and listblocks. */
export interface ListNames {
  readonly list: string
  readonly listblock: string
}

/** For each of `from` and of the actors: a list by which the first blocks the second, if there is one. */
export function blocksByList(
  db: Reader,
  from: readonly number[],
  actors: readonly number[],
  names: ListNames,
): { from: number; actor: number; list: number; record: number }[] {
  return db.all(
    `SELECT b.actor AS "from", a.value AS actor, min(list.id) AS list, min(b.id) AS record
     FROM json_each(?) f CROSS JOIN ${blockedLists}
     CROSS JOIN json_each(?) a CROSS JOIN ${membership}
     WHERE b.actor = f.value AND b.collection = ${collectionId} GROUP BY 1, 2`,
    [JSON.stringify(from), names.list, JSON.stringify(actors), names.listblock],
  )
}

/** Whether an account mutes any list. Most mute none, which saves the query for members. */
export function mutesAny(db: Reader, account: number): boolean {
  return db.get('SELECT 1 FROM muted_lists WHERE account = ? LIMIT 1', [account]) !== undefined
}

/** Returns the given actors that an account mutes by a list, with the list. */
export function mutesByList(
  db: Reader,
  account: number,
  actors: readonly number[],
  collection: string,
): { actor: number; list: number }[] {
  return db.all(
    `SELECT a.value AS actor, min(list.id) AS list
     FROM muted_lists m
     CROSS JOIN records list ON list.actor = m.actor AND list.rkey = m.rkey AND list.collection = ${collectionId}
     CROSS JOIN json_each(?) a CROSS JOIN ${membership}
     WHERE m.account = ? GROUP BY 1`,
    [collection, JSON.stringify(actors), account],
  )
}

export interface ListState {
  readonly id: number
  readonly items: number
  /** Whether the viewer mutes the list. */
  readonly muted: number
  /** Id of the viewer's listblock record. */
  readonly block: number | null
}

/** Returns the data of list views that is not in the record. */
export function states(db: Reader, ids: readonly number[], viewer: number | undefined): ListState[] {
  return db.all<ListState>(
    `SELECT list.id,
       (SELECT count(DISTINCT i.subject) FROM ${items} WHERE ${ofList}) AS items,
       EXISTS (SELECT 1 FROM muted_lists WHERE account = v.id AND actor = list.actor AND rkey = list.rkey) AS muted,
       (SELECT min(l.record) FROM subjects s JOIN links l ON l.subject = s.id AND l.path = ${paths.listBlock} AND l.actor = v.id
        WHERE ${ofList}) AS block
     FROM (SELECT ? AS id) v CROSS JOIN json_each(?) wanted CROSS JOIN records list ON list.id = wanted.value`,
    [viewer ?? null, JSON.stringify(ids)],
  )
}

/** The actors on a list with the records of their items, newest item first. */
export function members(db: Reader, list: number, { before, limit }: PageOf): RelatedActor[] {
  return db.all<RelatedActor>(
    `SELECT i.subject AS actor, min(i.record) AS record
     FROM records list CROSS JOIN ${items}
     WHERE list.id = ? AND ${ofList} GROUP BY i.subject HAVING min(i.record) < ? ORDER BY 2 DESC LIMIT ?`,
    [list, before ?? Number.MAX_SAFE_INTEGER, limit],
  )
}

/** Returns the items by which an actor is on an owner's lists, by the ids of the lists. */
export function memberships(
  db: Reader,
  owner: number,
  actor: number,
  collection: string,
): Map<number, number> {
  const rows = db.all<{ list: number; record: number }>(
    `SELECT list.id AS list, min(i.record) AS record
     FROM links i CROSS JOIN links il ON il.record = i.record AND il.path = ${paths.list}
     CROSS JOIN subjects s ON s.id = il.subject AND s.actor = i.actor
     CROSS JOIN records list ON list.actor = s.actor AND list.rkey = s.rkey AND list.collection = ${collectionId}
     WHERE i.subject = ? AND i.path = ${paths.member} AND i.actor = ? GROUP BY list.id`,
    [collection, actor, owner],
  )
  return new Map(rows.map(({ list, record }) => [list, record]))
}

/** An actor's records of a collection, newest first. */
export function recordsOf(
  db: Reader,
  actor: number,
  collection: string,
  { before, limit }: PageOf,
): number[] {
  const rows = db.all<{ id: number }>(
    // The plus signs keep SQLite from scanning all records in the order of their ids.
    `SELECT id FROM records WHERE actor = ? AND collection = ${collectionId} AND +id < ? ORDER BY +id DESC LIMIT ?`,
    [actor, collection, before ?? Number.MAX_SAFE_INTEGER, limit],
  )
  return rows.map(({ id }) => id)
}

/** The lists that an actor blocks, with the listblock record, newest first. */
export function blocked(
  db: Reader,
  actor: number,
  names: ListNames,
  { before, limit }: PageOf,
): { list: number; record: number }[] {
  return db.all(
    `SELECT list.id AS list, min(b.id) AS record FROM ${blockedLists}
     WHERE b.actor = ? AND b.collection = ${collectionId}
     GROUP BY list.id HAVING min(b.id) < ? ORDER BY 2 DESC LIMIT ?`,
    [names.list, actor, names.listblock, before ?? Number.MAX_SAFE_INTEGER, limit],
  )
}

/** The lists that an account mutes, newest list first. */
export function muted(db: Reader, account: number, collection: string, { before, limit }: PageOf): number[] {
  const rows = db.all<{ id: number }>(
    `SELECT list.id FROM muted_lists m
     JOIN records list ON list.actor = m.actor AND list.rkey = m.rkey AND list.collection = ${collectionId}
     WHERE m.account = ? AND list.id < ? ORDER BY list.id DESC LIMIT ?`,
    [collection, account, before ?? Number.MAX_SAFE_INTEGER, limit],
  )
  return rows.map(({ id }) => id)
}
