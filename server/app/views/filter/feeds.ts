/** The items that feeds show. */
import type { app } from '../../../../lexicons/generated/index.ts'
import type { ViewContext } from '../load/context.ts'
import { type Post, postAt, recordAt } from '../load/posts.ts'
import type { ViewRecord } from '../load/records.ts'
import { isBlocked, relationTo } from '../load/relations.ts'
import { isHidden } from './actors.ts'
import { isPostHidden } from './posts.ts'

/** A post in a feed, and the repost or pin that put it there. */
export interface FeedItem {
  readonly post: Post
  readonly repost?: ViewRecord<app.example.feed.repost.Main> | undefined
  readonly isPinned?: boolean
}

/** Whether a block hides an item: of its author, of who reposted it, or of an author that it answers. */
function isItemHidden(ctx: ViewContext, { post, repost }: FeedItem): boolean {
  const answered = answeredActors(ctx, post)
  return (
    isPostHidden(ctx, post) ||
    (repost !== undefined && isHidden(ctx, repost.actor)) ||
    answered.some((actor) => isBlocked(relationTo(ctx, actor)))
  )
}

/** The authors of the root and the parent of a reply, if their posts are here. */
function answeredActors(ctx: ViewContext, { value: { reply } }: Post): number[] {
  const uris = reply ? [reply.root.uri, reply.parent.uri] : []
  return uris.flatMap((uri) => recordAt(ctx, uri)?.actor ?? [])
}

/** Whether feeds of many authors show an item. Blocks and mutes hide it. */
export function isInListFeed(ctx: ViewContext, item: FeedItem): boolean {
  const { post, repost } = item
  const isMuted = (actor: number) => relationTo(ctx, actor).muted
  return !isMuted(post.actor) && !(repost && isMuted(repost.actor)) && !isItemHidden(ctx, item)
}

/** Whether the timeline shows an item: replies only to the viewer, to authors that it follows, and of authors to themselves. */
export function isInTimeline(ctx: ViewContext, item: FeedItem): boolean {
  const { post, repost } = item
  if (!isInListFeed(ctx, item)) return false
  if (repost || !post.value.reply || post.actor === ctx.viewer || isToSelf(post)) return true
  const isKnown = (actor: number) => actor === ctx.viewer || relationTo(ctx, actor).following !== undefined
  return answeredActors(ctx, post).some((actor) => actor !== post.actor && isKnown(actor))
}

/** Whether an author feed shows an item. It leaves out reposts of posts by muted authors. */
export function isInAuthorFeed(ctx: ViewContext, item: FeedItem): boolean {
  const isMuted = item.repost !== undefined && relationTo(ctx, item.post.actor).muted
  return !isMuted && !isItemHidden(ctx, item)
}

/** Whether a reply answers its own author, in a thread of that author. */
function isToSelf({ did, value: { reply } }: Post): boolean {
  return reply !== undefined && [reply.root.uri, reply.parent.uri].every((uri) => authorityOf(uri) === did)
}

const authorityOf = (uri: string) => uri.split('/')[2]

/** Posts of a thread that are checked before one is taken for a thread of its author. */
const maxChecked = 100

/** Whether an item is no reply, or part of a thread in which its author only answers itself. */
export function isSelfThread(ctx: ViewContext, { post, repost }: FeedItem): boolean {
  if (repost) return true
  let at: Post | undefined = post
  for (let checked = 0; at?.value.reply && checked < maxChecked; checked++) {
    if (!isToSelf(at)) return false
    at = postAt(ctx, at.value.reply.parent.uri)
  }
  return at !== undefined
}
