/** The storage that an account uses. */
import type { NsidString } from '@atproto/syntax'
import type { Reader } from '../../store/database.ts'
import { actorId } from '../../store/tables/actors.ts'

export interface CollectionUsage {
  readonly collection: NsidString
  readonly records: number
  readonly bytes: number
}

/** Returns the bytes of all records of an account. */
export function bytesOfRecords(db: Reader, did: string): number {
  const row = db.get<{ bytes: number }>(
    `SELECT coalesce(sum(bytes), 0) AS bytes FROM collection_sizes WHERE actor = ${actorId}`,
    [did],
  )
  return row?.bytes ?? 0
}

/** Returns the collections with records, largest first. */
export function ofCollections(db: Reader, did: string, limit: number): CollectionUsage[] {
  return db.all<CollectionUsage>(
    `SELECT c.nsid AS collection, s.records, s.bytes FROM collection_sizes s JOIN collections c ON c.id = s.collection
     WHERE s.actor = ${actorId} ORDER BY s.bytes DESC, c.nsid LIMIT ?`,
    [did, limit],
  )
}
