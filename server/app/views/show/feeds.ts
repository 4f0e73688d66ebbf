/** Pages of feeds: timelines, author feeds, lists of posts. */
import type { AtUriString } from '@atproto/syntax'
import { app } from '../../../../lexicons/generated/index.ts'
import * as feed from '../../tables/feed.ts'
import * as viewRecords from '../../tables/view-records.ts'
import type { FeedItem } from '../filter/feeds.ts'
import { isAgainstGate } from '../filter/posts.ts'
import { feedCursor } from '../find/feed-pages.ts'
import { loadActorsOf } from '../load/actors.ts'
import type { ViewContext } from '../load/context.ts'
import { areBlocked, loadPosts, loadRecords, type Post, postAt, postsById, recordAt } from '../load/posts.ts'
import { isBlocked, relationTo } from '../load/relations.ts'
import { blockedPost, pinnedUri, postView } from './posts.ts'
import { profileViewBasic } from './profiles.ts'

const { defs, repost: repostSchema } = app.example.feed

type FeedViewPost = app.example.feed.defs.FeedViewPost
type ReplyRef = app.example.feed.defs.ReplyRef

export interface FeedQuery {
  readonly limit: number
  readonly before: feed.FeedPosition
  /** Reads entries, newest first. */
  readonly read: (slice: feed.Slice) => feed.FeedEntry[]
  /** Whether the feed shows an item. */
  readonly shows: (item: FeedItem) => boolean
  /** An item before the others, which leave its post out. */
  readonly first?: FeedItem | undefined
}

interface FeedPage {
  readonly cursor: string | undefined
  readonly feed: FeedViewPost[]
}

/** Slices that are read for a page at most: a page is shorter if most entries are left out. */
const maxSlices = 5
const sliceAfterFirst = 50

/** Reads a page. The same post by the same actor occurs once. */
export function feedPage(ctx: ViewContext, query: FeedQuery): FeedPage {
  const { limit, first } = query
  const items = new Map<string, FeedItem>()
  if (first) items.set(keyOf(first), first)
  let last = query.before
  for (let slice = 0; slice < maxSlices; slice++) {
    const size = slice === 0 ? limit + 1 : sliceAfterFirst
    const entries = query.read({ before: last, limit: size })
    const read = readItems(ctx, entries)
    for (const entry of entries) {
      const item = read.get(entry.record)
      const isShown = item && item.post.id !== first?.post.id && !items.has(keyOf(item)) && query.shows(item)
      if (isShown && items.size === limit) return pageOf(ctx, items, last)
      if (isShown) items.set(keyOf(item), item)
      last = entry
    }
    if (entries.length < size) return pageOf(ctx, items, undefined)
    if (items.size === limit) break
  }
  return pageOf(ctx, items, last)
}

function keyOf({ post, repost }: FeedItem): string {
  return `${post.actor} ${post.uri.slice(post.uri.lastIndexOf('/'))} ${repost?.actor ?? ''}`
}

function pageOf(
  ctx: ViewContext,
  items: ReadonlyMap<string, FeedItem>,
  last: feed.FeedPosition | undefined,
): FeedPage {
  return {
    cursor: last && feedCursor(last),
    feed: Array.from(items.values(), (item) => feedViewPost(ctx, item)),
  }
}

/** Returns the items of entries by the ids of their records, without deleted and invalid ones. */
function readItems(ctx: ViewContext, entries: readonly feed.FeedEntry[]): Map<number, FeedItem> {
  const idsOf = (isRepost: boolean) =>
    entries.filter(({ kind }) => (kind === feed.kinds.repost) === isRepost).map(({ record }) => record)
  const reposts = readReposts(ctx, idsOf(true))
  loadActorsOf(ctx, reposts)
  loadRecords(
    ctx,
    reposts.map(({ value }) => value.subject.uri),
  )
  const items = new Map<number, FeedItem>(postsById(ctx, idsOf(false)).map((post) => [post.id, { post }]))
  for (const repost of reposts) {
    const post = postAt(ctx, repost.value.subject.uri)
    if (post) items.set(repost.id, { post, repost })
  }
  loadPosts(
    ctx,
    Array.from(items.values(), ({ post }) => post),
    true,
  )
  return items
}

function readReposts(ctx: ViewContext, ids: readonly number[]) {
  const rows = ids.length === 0 ? [] : viewRecords.recordsById(ctx.db, ids)
  return rows.flatMap((row) => ctx.records.read(repostSchema.main, row) ?? [])
}

/** `app.example.feed.defs#feedViewPost` */
export function feedViewPost(ctx: ViewContext, { post, repost, isPinned }: FeedItem): FeedViewPost {
  return {
    post: postView(ctx, post),
    reply: replyRef(ctx, post),
    reason: repost
      ? defs.reasonRepost.$build({
          by: profileViewBasic(ctx, repost.actor),
          uri: repost.uri,
          cid: repost.cid,
          indexedAt: repost.indexedAt,
        })
      : isPinned
        ? defs.reasonPin.$build({})
        : undefined,
  }
}

/** The posts that a reply answers; undefined for other posts. */
function replyRef(ctx: ViewContext, post: Post): ReplyRef | undefined {
  const { reply } = post.value
  if (!reply) return undefined
  const parent = postAt(ctx, reply.parent.uri)
  const grandparent = parent?.value.reply && recordAt(ctx, parent.value.reply.parent.uri)
  return {
    root: answeredView(ctx, post, reply.root.uri),
    parent: answeredView(ctx, post, reply.parent.uri),
    grandparentAuthor: grandparent && profileViewBasic(ctx, grandparent.actor),
  }
}

function answeredView(ctx: ViewContext, reply: Post, uri: AtUriString): ReplyRef['root'] {
  const post = postAt(ctx, uri)
  if (!post || isAgainstGate(ctx, post)) return defs.notFoundPost.$build({ uri, notFound: true })
  return isBlockedFor(ctx, reply, post) ? blockedPost(ctx, post) : defs.postView.$build(postView(ctx, post))
}

/** Whether a block hides a post from the viewer or from the author of a reply to it. */
function isBlockedFor(ctx: ViewContext, reply: Post, { actor }: Post): boolean {
  return isBlocked(relationTo(ctx, actor)) || areBlocked(ctx, reply.actor, actor)
}

/** The post that an actor pins, as the first item of its feed. */
export function pinnedItem(ctx: ViewContext, actor: number): FeedItem | undefined {
  const uri = pinnedUri(ctx, actor)
  const post = uri === undefined ? undefined : postAt(ctx, uri)
  if (post?.actor !== actor) return undefined
  loadPosts(ctx, [post], true)
  return { post, isPinned: true }
}
