/** Derives the feed item of a record. Records may be stored unvalidated. */
import { isPlainObject, type LexMap } from '@atproto/lex-data'
import { collections, embeds } from '../../platform/config/nsids.ts'
import { instant } from '../../util/time.ts'
import type { FeedItem } from '../tables/posts.ts'

const images = 1
const video = 2

/** Media bits by the `$type` of an embed. */
const mediaOf: Readonly<Record<string, number>> = {
  [embeds.images]: images,
  [embeds.gallery]: images,
  [embeds.video]: images | video,
}

/** Returns undefined for records that feeds do not show. @param collection our name of it */
export function feedItemOf(collection: string, record: LexMap): FeedItem | undefined {
  const createdAt = typeof record.createdAt === 'string' ? instant(record.createdAt)?.getTime() : undefined
  switch (collection) {
    case collections.post:
      return { kind: record.reply === undefined ? 0 : 1, media: mediaIn(record.embed), createdAt }
    case collections.repost:
      return { kind: 2, media: 0, createdAt }
    default:
      return undefined
  }
}

function mediaIn(embed: unknown): number {
  if (!isPlainObject(embed)) return 0
  const { $type, media } = embed as LexMap
  return $type === embeds.recordWithMedia ? mediaIn(media) : (mediaOf[String($type)] ?? 0)
}
