/** Threads as flat lists, in the order in which they are read (getPostThreadV2). */
import type { AtUriString } from '@atproto/syntax'
import { app } from '../../../../lexicons/generated/index.ts'
import { isHiddenByGate } from '../filter/gates.ts'
import { isHiddenByBlock, isReplyBlocked } from '../filter/posts.ts'
import { answeredBy, type Thread } from '../find/threads.ts'
import type { ViewContext } from '../load/context.ts'
import { type Post, responsesTo } from '../load/posts.ts'
import { relationTo } from '../load/relations.ts'
import { blockedAuthor, postView } from './posts.ts'

const { threadItemPost, threadItemNotFound, threadItemBlocked } = app.example.unspecced.defs

type ThreadItem = Omit<app.example.unspecced.getPostThreadV2.ThreadItem, '$type'>
type ItemPost = app.example.unspecced.defs.ThreadItemPost

export interface ItemOptions {
  /** Replies to each reply at most. */
  readonly branchingFactor: number
  /** `newest`, `oldest` or `top`. */
  readonly sort: string
}

/** Returns the thread: the posts above the anchor from the top, the anchor, then the replies, each before the replies to it. */
export function threadItems(ctx: ViewContext, thread: Thread, options: ItemOptions): ThreadItem[] {
  const { anchor } = thread
  const above = itemsAbove(ctx, thread, anchor, 1)
  const isOpThread = isByOp(thread, anchor) && above.every(isOpItem)
  const moreParents = thread.height === 0 && anchor.value.reply !== undefined
  return [
    ...above.toReversed(),
    itemOf(ctx, anchor, 0, { opThread: isOpThread, moreParents }),
    ...itemsBelow(ctx, thread, anchor, options, { depth: 1, isOpThread }),
  ]
}

/** Whether replies to the anchor are left out that `otherItems` returns. */
export function hasOtherItems(ctx: ViewContext, thread: Thread): boolean {
  return repliesTo(ctx, thread, thread.anchor).some((reply) => isOther(ctx, thread, reply))
}

/** Returns the replies to the anchor that the author of the thread has hidden, or whose author the viewer mutes. */
export function otherItems(ctx: ViewContext, thread: Thread) {
  const replies = repliesTo(ctx, thread, thread.anchor).filter((reply) => isOther(ctx, thread, reply))
  return inOrder(ctx, thread, replies, 'oldest').map((reply) =>
    itemOf(ctx, reply, 1, {
      hiddenByThreadgate: isHidden(ctx, thread, reply),
      mutedByViewer: relationTo(ctx, reply.actor).muted,
    }),
  )
}

/** Items from the parent of a post to the top of the thread. */
function itemsAbove(ctx: ViewContext, thread: Thread, post: Post, depth: number): ThreadItem[] {
  const above = answeredBy(ctx, thread, post)
  if (!above || depth > thread.height) return []
  const { uri } = above
  if (!above.post) return [notFoundItem(uri, -depth)]
  if (above.isBlocked) return [blockedItem(ctx, above.post, -depth)]
  const next = itemsAbove(ctx, thread, above.post, depth + 1)
  const hasMore = next.length === 0 && depth === thread.height && above.post.value.reply !== undefined
  const opThread = isByOp(thread, above.post) && next.every(isOpItem)
  return [itemOf(ctx, above.post, -depth, { opThread, moreParents: hasMore }), ...next]
}

function itemsBelow(
  ctx: ViewContext,
  thread: Thread,
  post: Post,
  options: ItemOptions,
  { depth, isOpThread }: { depth: number; isOpThread: boolean },
): ThreadItem[] {
  if (depth > thread.depth) return []
  const replies = repliesTo(ctx, thread, post).filter((reply) => !isOther(ctx, thread, reply))
  const shown = inOrder(ctx, thread, replies, options.sort)
  const allowed = depth === thread.depth ? 0 : options.branchingFactor
  return shown.slice(0, depth === 1 ? undefined : options.branchingFactor).flatMap((reply) => {
    const opThread = isOpThread && isByOp(thread, reply)
    const moreReplies = Math.max(0, responsesTo(ctx, reply).replies - allowed)
    return [
      itemOf(ctx, reply, depth, { opThread, moreReplies }),
      ...itemsBelow(ctx, thread, reply, options, { depth: depth + 1, isOpThread: opThread }),
    ]
  })
}

/** The replies to a post that no block hides. */
function repliesTo(ctx: ViewContext, thread: Thread, post: Post): Post[] {
  const replies = thread.replies.get(post.id) ?? []
  return replies.filter((reply) => !isHiddenByBlock(ctx, reply) && !isReplyBlocked(ctx, reply, post))
}

function isOther(ctx: ViewContext, thread: Thread, reply: Post): boolean {
  return isHidden(ctx, thread, reply) || relationTo(ctx, reply.actor).muted
}

function isHidden(ctx: ViewContext, { root }: Thread, reply: Post): boolean {
  return root !== undefined && isHiddenByGate(ctx, root, reply.uri)
}

function isByOp({ root }: Thread, post: Post): boolean {
  return post.actor === root?.actor
}

const isOpItem = ({ value }: ThreadItem) => threadItemPost.$isTypeOf(value) && value.opThread

/** Sorts replies: first the thread author's, then the viewer's own. */
function inOrder(ctx: ViewContext, thread: Thread, replies: readonly Post[], sort: string): Post[] {
  const rank = (post: Post) => (isByOp(thread, post) ? 0 : post.actor === ctx.viewer ? 1 : 2)
  // A like by the author of the thread counts more than others.
  const weight = (post: Post) =>
    Math.log(3 + responsesTo(ctx, post).likes) * (thread.rootAuthorLikes.has(post.id) ? 1.45 : 1)
  const byTime = (a: Post, b: Post) => a.indexedAt.localeCompare(b.indexedAt) || a.id - b.id
  const compare = (a: Post, b: Post) => {
    if (sort === 'newest') return byTime(b, a)
    return sort === 'top' ? weight(b) - weight(a) || byTime(b, a) : byTime(a, b)
  }
  return replies.toSorted((a, b) => rank(a) - rank(b) || compare(a, b))
}

function itemOf(ctx: ViewContext, post: Post, depth: number, more: Partial<Omit<ItemPost, '$type'>>) {
  const none = {
    moreParents: false,
    moreReplies: 0,
    opThread: false,
    hiddenByThreadgate: false,
    mutedByViewer: false,
  }
  const value = threadItemPost.$build({ post: postView(ctx, post), ...none, ...more })
  return { uri: post.uri, depth, value }
}

/** The place of a post that was deleted. */
export function notFoundItem(uri: AtUriString, depth: number): ThreadItem {
  return { uri, depth, value: threadItemNotFound.$build({}) }
}

/** The place of a post that a block hides. */
export function blockedItem(ctx: ViewContext, post: Post, depth: number): ThreadItem {
  return {
    uri: post.uri,
    depth,
    value: threadItemBlocked.$build({ author: blockedAuthor(ctx, post) }),
  }
}
