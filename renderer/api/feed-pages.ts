/** Pages of feeds: what identifies an item, and how new items join pages that were read. */
import type { InferMethodOutputBody } from '@atproto/lex-schema'
import type { InfiniteData } from '@tanstack/query-core'
import { app } from '../../lexicons/generated/index.ts'
import { placeOf } from './at-uri.ts'

const { reasonRepost } = app.example.feed.defs

export type Page = InferMethodOutputBody<typeof app.example.feed.getTimeline.main>
export type Pages = InfiniteData<Page>

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

/** The items of the newest page that are not in the pages, but belong before or between their items. */
export function unknownItems(cached: Pages, newest: Page): readonly FeedItem[] {
  const known = new Set(cached.pages.flatMap(({ feed }) => feed.map(keyOfItem)))
  const isKnown = (item: FeedItem) => known.has(keyOfItem(item))
  const isComplete = cached.pages.at(-1)?.cursor === undefined
  // Items behind the last known one come with the next page.
  const last = isComplete ? -1 : newest.feed.findLastIndex(isKnown)
  return newest.feed.slice(0, last < 0 ? undefined : last).filter((item) => !isKnown(item))
}

/**
 * Puts new items before the pages. Returns only the newest page if it leaves a gap, or if items came between known ones, as
 * after a follow.
 */
export function withNewest(cached: Pages, newest: Page): Pages {
  const unknown = unknownItems(cached, newest)
  if (unknown.length === 0) return cached
  const isConnected =
    unknown.length < newest.feed.length && unknown.every((item, index) => item === newest.feed[index])
  return isConnected ? withFirst(cached, unknown) : { pages: [newest], pageParams: [undefined] }
}

/** Puts new posts of an account before the pages. */
export function withOwn(cached: Pages, newest: Page, did: string): Pages {
  const own = unknownItems(cached, newest).filter((item) => isOwnPost(item, did))
  return own.length === 0 ? cached : withFirst(cached, own)
}

/** Whether an item is a post of the account; not a repost. */
export function isOwnPost(item: FeedItem, did: string): boolean {
  return item.post.author.did === did && repostOf(item) === undefined
}

/** Puts a page of items before the others. */
function withFirst(cached: Pages, feed: readonly FeedItem[]): Pages {
  const cursor = cached.pages[0]?.cursor
  return {
    pages: [{ feed: [...feed], ...(cursor !== undefined && { cursor }) }, ...cached.pages],
    pageParams: [undefined, ...cached.pageParams],
  }
}

/** Who put an item into the feed. */
export function actorOf(item: FeedItem): string {
  return (repostOf(item)?.by ?? item.post.author).did
}

/** Leaves out what an account has deleted elsewhere: its items between those of the newest page, which has them no longer. */
export function withoutDeleted(cached: Pages, newest: Page, did: string): Pages {
  const fresh = new Set(newest.feed.map(keyOfItem))
  const items = cached.pages.flatMap(({ feed }) => feed)
  const end =
    newest.cursor === undefined ? items.length : items.findLastIndex((item) => fresh.has(keyOfItem(item)))
  const deleted = new Set(
    items.slice(0, Math.max(end, 0)).filter((item) => actorOf(item) === did && !fresh.has(keyOfItem(item))),
  )
  if (deleted.size === 0) return cached
  const pages = cached.pages.map((page) =>
    page.feed.some((item) => deleted.has(item))
      ? { ...page, feed: page.feed.filter((item) => !deleted.has(item)) }
      : page,
  )
  return { ...cached, pages }
}
