import { type FeedItem, repostOf } from '../../../api/feed-pages.ts'

/** Whether an item is one of the posts, and not a repost of it. */
export function isPostOf(uris: readonly string[], item: FeedItem): boolean {
  return uris.includes(item.post.uri) && repostOf(item) === undefined
}
