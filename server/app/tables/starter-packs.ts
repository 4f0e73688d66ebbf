/** Queries over starter packs. */

import type { PageOf } from '../../federation/tables/graph.ts'
import { paths } from '../../repository/format/link-paths.ts'
import type { Reader } from '../../store/database.ts'
import { collectionId } from '../../store/tables/collections.ts'

export interface Joined {
  /** Actors whose profile says that they joined through the starter pack. */
  readonly total: number
  /** The ones whose account was created since a time. */
  readonly recent: number
}

/** Ids of the starter packs of all authors, newest first. @param collection of starter packs */
export function newestPacks(db: Reader, collection: string, { before, limit }: PageOf): number[] {
  const rows = db.all<{ id: number }>(
    `SELECT r.id FROM collection_sizes s
     CROSS JOIN records r ON r.actor = s.actor AND r.collection = s.collection AND +r.id < ?
     WHERE s.collection = ${collectionId} ORDER BY +r.id DESC LIMIT ?`,
    [before ?? Number.MAX_SAFE_INTEGER, collection, limit],
  )
  return rows.map(({ id }) => id)
}

/** @param collection of starter packs. @param since ISO 8601 */
export function joined(
  db: Reader,
  { actor, rkey }: { actor: number; rkey: string },
  collection: string,
  since: string,
): Joined {
  const row = db.get<Joined>(
    `SELECT count(DISTINCT l.actor) AS total, count(DISTINCT CASE WHEN a.created_at >= ? THEN l.actor END) AS recent
     FROM subjects s JOIN links l ON l.subject = s.id AND l.path = ${paths.starterPack} LEFT JOIN accounts a ON a.id = l.actor
     WHERE s.actor = ? AND s.rkey = ? AND s.collection = ${collectionId}`,
    [since, actor, rkey, collection],
  )
  return row ?? { total: 0, recent: 0 }
}
