/** Pages of feeds: what identifies an item, and how new items join pages that were read. */
import type { InfiniteData } from '@tanstack/react-query'
import { app } from '../../lexicons/generated/index.ts'
import { placeOf } from './at-uri.ts'
import type { Body } from './client.ts'

const { reasonRepost } = app.example.feed.defs

export type Page = Body<typeof app.example.feed.getTimeline.main>
export type Pages = InfiniteData<Page, string | undefined>

/** A post in a feed, and the repost that put it there. */
export type FeedItem = Page['feed'][number]

/** The repost that put a post into the feed, if one did. */
export function repostOf({ reason }: FeedItem) {
  return reason && reasonRepost.isTypeOf(reason) ? reason : undefined
}

/** A post occurs once for its author, and once for each person who reposted it. */
export function keyOfItem(item: FeedItem): string {
  return `${placeOf(item.post.uri)} ${repostOf(item)?.by.did}`
}

/** The items of the newest page that are not in the pages. */
export function unknownItems(pages: readonly (readonly FeedItem[])[], newest: Page): readonly FeedItem[] {
  const known = new Set(pages.flatMap((items) => items.map(keyOfItem)))
  return newest.feed.filter((item) => !known.has(keyOfItem(item)))
}

/**
 * Puts new items before the pages. Returns only the newest page if it leaves a gap, or if items came between known ones, as
 * after a follow.
 */
export function withNewest(cached: Pages, newest: Page): Pages {
  const unknown = unknownItems(
    cached.pages.map(({ feed }) => feed),
    newest,
  )
  const isConnected =
    unknown.length < newest.feed.length && unknown.every((item, index) => item === newest.feed[index])
  if (!isConnected) return { pages: [newest], pageParams: [undefined] }
  return {
    pages: [{ ...newest, feed: [...unknown] }, ...cached.pages],
    pageParams: [undefined, ...cached.pageParams],
  }
}
