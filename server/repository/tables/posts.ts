/** Table `posts`: the posts and reposts of each author by time, for feeds. */
import type { NsidString, RecordKeyString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'
import { actorId } from '../../store/tables/actors.ts'

/** The properties of a record as a feed item. */
export interface FeedItem {
  /** 0 post, 1 reply, 2 repost. */
  readonly kind: 0 | 1 | 2
  /** Bits: 1 images or video, 2 video. */
  readonly media: number
  /** Creation time that the record states, in milliseconds. */
  readonly createdAt: number | undefined
}

/** Inserts or updates the item of a record. @param indexedAt a record is not sorted after the time of its write */
export function put(
  tx: Writer,
  { record, actor, indexedAt }: { record: number; actor: number; indexedAt: number },
  { kind, media, createdAt = indexedAt }: FeedItem,
): void {
  tx.run(
    `INSERT INTO posts (record, actor, sort_at, kind, media) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET sort_at = excluded.sort_at, kind = excluded.kind, media = excluded.media`,
    [record, actor, Math.min(createdAt, indexedAt), kind, media],
  )
}

/** Returns the collection and key of the posts and replies of an author since a time in milliseconds, the newest first. */
export function keysSince(
  db: Reader,
  did: string,
  since: number,
  limit: number,
): { readonly collection: NsidString; readonly rkey: RecordKeyString }[] {
  return db.all(
    `SELECT c.nsid AS collection, r.rkey FROM posts p JOIN records r ON r.id = p.record JOIN collections c ON c.id = r.collection
     WHERE p.actor = ${actorId} AND p.kind <> 2 AND p.sort_at >= ? ORDER BY p.sort_at DESC LIMIT ?`,
    [did, since, limit],
  )
}
