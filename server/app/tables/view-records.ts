/** Queries over `records` for views: by id, by key and by author, without records of inactive actors and those that are taken down. */

import { type RecordRow, recordColumns } from '../../federation/tables/graph.ts'
import type { Reader } from '../../store/database.ts'
import { isNotTakenDown } from '../../store/tables/takedowns.ts'

/**
 * Bytes of a record that views show at most. A valid record may have a megabyte of members that its lexicon does not name, and a
 * page a hundred records.
 */
const maxBytes = 100_000

/** SQL condition: views may show the record `r`. */
const isShown = `length(r.bytes) <= ${maxBytes} AND ${isNotTakenDown('r.id')}`

/** Returns the records among `ids` that have active authors. */
export function recordsById(db: Reader, ids: readonly number[]): RecordRow[] {
  return db.all<RecordRow>(
    `SELECT ${recordColumns} FROM json_each(?) wanted
     CROSS JOIN records r ON r.id = wanted.value AND ${isShown}
     JOIN actors a ON a.id = r.actor AND a.inactive = 0
     JOIN collections n ON n.id = r.collection`,
    [JSON.stringify(ids)],
  )
}

/** A record's key: DID, record key and collection. */
export type RecordKey = readonly [did: string, rkey: string, collection: string]

/** Returns the records under these keys, by position of the key. */
export function recordsByKey(db: Reader, keys: readonly RecordKey[]): Map<number, RecordRow> {
  const rows = db.all<RecordRow & { readonly key: number }>(
    `SELECT k.key, ${recordColumns} FROM json_each(?) k
     CROSS JOIN actors a ON a.did = k.value ->> 0 AND a.inactive = 0
     CROSS JOIN collections n ON n.nsid = k.value ->> 2
     CROSS JOIN records r ON r.actor = a.id AND r.collection = n.id AND r.rkey = k.value ->> 1
       AND ${isShown}`,
    [JSON.stringify(keys)],
  )
  return new Map(rows.map((row) => [row.key, row]))
}

/** Returns the given records whose bytes contain a text. @param text in lower case; ASCII letters match in both cases */
export function recordsWith(db: Reader, ids: readonly number[], text: string): number[] {
  const rows = db.all<{ id: number }>(
    `SELECT r.id FROM json_each(?) wanted CROSS JOIN records r ON r.id = wanted.value
     WHERE ${isShown} AND instr(lower(CAST(r.bytes AS TEXT)), ?) > 0`,
    [JSON.stringify(ids), text],
  )
  return rows.map(({ id }) => id)
}

/** Returns the newest records of an actor in a collection, by record key. @param before record key */
export function recordsOf(
  db: Reader,
  actor: number,
  collection: string,
  { before, limit }: { before: string | undefined; limit: number },
): RecordRow[] {
  // Sorts after every character of record keys.
  const end = before ?? '\x7f'
  return db.all<RecordRow>(
    `SELECT ${recordColumns} FROM collections n
     CROSS JOIN records r ON r.id IN (
       SELECT id FROM records
       WHERE actor = ? AND collection = n.id AND rkey < ? AND length(bytes) <= ${maxBytes} AND ${isNotTakenDown('records.id')} ORDER BY rkey DESC LIMIT ?)
     JOIN actors a ON a.id = r.actor
     WHERE n.nsid = ? ORDER BY r.rkey DESC`,
    [actor, end, limit, collection],
  )
}
