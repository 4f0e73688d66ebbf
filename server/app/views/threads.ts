/** Threads: a post with the posts that it answers and the replies to it. */
import type { AtUriString } from '@atproto/syntax'
import { app } from '../../../lexicons/generated/index.ts'
import { paths } from '../../repository/format/link-paths.ts'
import * as postLinks from '../tables/post-links.ts'
import type { ViewContext } from './context.ts'
import {
  areBlocked,
  isAgainstGate,
  keyOf,
  loadPosts,
  type Post,
  postAt,
  postCollection,
  postsById,
  rootOf,
  rootUri,
} from './load-posts.ts'
import { blockedPost, postView } from './posts.ts'
import { isBlocked, relationTo } from './relations.ts'

const { defs } = app.example.feed

type ThreadViewPost = app.example.feed.defs.ThreadViewPost
type ReplyView = NonNullable<ThreadViewPost['replies']>[number]

/** The posts around an anchor. */
export interface Thread {
  readonly anchor: Post
  /** First post; undefined if it was deleted. */
  readonly root: Post | undefined
  /** Identifies the thread: posts that state another root are not part of it. */
  readonly key: string
  /** Posts above the anchor that were read. */
  readonly height: number
  /** Levels of replies that were read. */
  readonly depth: number
  /** Replies by the id of their parent, newest first. */
  readonly replies: ReadonlyMap<number, readonly Post[]>
  /** Likes by the author of the first post, by the id of the liked post. */
  readonly rootAuthorLikes: ReadonlyMap<number, AtUriString>
}

/** Replies of a thread that are read. */
const maxReplies = 1000

/** Reads the posts around an anchor. */
export function readThread(
  ctx: ViewContext,
  anchor: Post,
  { height, depth }: Pick<Thread, 'height' | 'depth'>,
): Thread {
  const above = postsById(ctx, postLinks.ancestorsOf(ctx.db, anchor.id, postCollection(ctx), height))
  const below = readReplies(ctx, anchor, depth)
  const posts = [anchor, ...above, ...below.map(({ reply }) => reply)]
  loadPosts(ctx, posts)
  const root = rootOf(ctx, anchor)
  const key = threadKey(ctx, anchor)
  const replies = Map.groupBy(
    below.filter(({ reply }) => threadKey(ctx, reply) === key && !isAgainstGate(ctx, reply)),
    ({ parent }) => parent,
  )
  return {
    anchor,
    root,
    key,
    height,
    depth,
    replies: new Map(Array.from(replies, ([parent, some]) => [parent, some.map(({ reply }) => reply)])),
    rootAuthorLikes: likesOf(ctx, root, posts),
  }
}

interface Reply {
  readonly reply: Post
  /** Id of the post that it answers. */
  readonly parent: number
}

/** Reads replies level by level. */
function readReplies(ctx: ViewContext, anchor: Post, depth: number): Reply[] {
  const found = new Map<number, Reply>()
  let level = [anchor.id]
  for (let below = 0; below < depth && level.length > 0; below++) {
    const links = postLinks.repliesTo(ctx.db, level, postCollection(ctx), maxReplies - found.size)
    const parents = new Map(links.map(({ parent, record }) => [record, parent]))
    // A post may be updated to answer one of its own replies.
    const added = links.map(({ record }) => record).filter((id) => id !== anchor.id && !found.has(id))
    for (const reply of postsById(ctx, added)) {
      found.set(reply.id, { reply, parent: parents.get(reply.id) ?? 0 })
    }
    level = added.filter((id) => found.has(id))
  }
  return [...found.values()]
}

function threadKey(ctx: ViewContext, post: Post): string {
  const [did, rkey] = keyOf(ctx, rootUri(post)) ?? []
  return `${did} ${rkey}`
}

function likesOf(ctx: ViewContext, root: Post | undefined, posts: readonly Post[]): Map<number, AtUriString> {
  if (!root) return new Map()
  const ids = posts.map(({ id }) => id)
  const links = postLinks.linksBy(ctx.db, root.actor, ids, postCollection(ctx))
  return new Map(links.filter(({ path }) => path === paths.like).map(({ record, uri }) => [record, uri]))
}

/** Whether a block hides a post from the viewer. */
export function isHiddenByBlock(ctx: ViewContext, { actor }: Post): boolean {
  return isBlocked(relationTo(ctx, actor))
}

/** Whether a block hides a reply and its parent from each other's readers. */
export function isReplyBlocked(ctx: ViewContext, reply: Post, parent: Post): boolean {
  return areBlocked(ctx, reply.actor, parent.actor)
}

/** The posts above a post in a thread. */
export type Above =
  | { readonly uri: AtUriString; readonly post: Post | undefined; readonly isBlocked: boolean }
  | undefined

/** Returns the parent of a post of a thread; undefined for the first post, and where the thread of the anchor begins. */
export function answeredBy(ctx: ViewContext, { key }: Thread, post: Post): Above {
  const { reply } = post.value
  if (!reply) return undefined
  const { uri } = reply.parent
  const parent = postAt(ctx, uri)
  if (!parent || isAgainstGate(ctx, parent)) return { uri, post: undefined, isBlocked: false }
  if (threadKey(ctx, parent) !== key) return undefined
  return { uri, post: parent, isBlocked: isHiddenByBlock(ctx, parent) || isReplyBlocked(ctx, post, parent) }
}

/** The thread as a tree around its anchor: `app.example.feed.defs#threadViewPost`. */
export function threadView(ctx: ViewContext, thread: Thread): ThreadViewPost {
  const { anchor, height, depth } = thread
  return {
    ...nodeOf(ctx, thread, anchor),
    parent: parentView(ctx, thread, anchor, height),
    replies: depth > 0 ? replyViews(ctx, thread, anchor, depth) : undefined,
  }
}

function nodeOf(ctx: ViewContext, { rootAuthorLikes }: Thread, post: Post): ThreadViewPost {
  const rootAuthorLike = rootAuthorLikes.get(post.id)
  return { post: postView(ctx, post), threadContext: { rootAuthorLike } }
}

function parentView(ctx: ViewContext, thread: Thread, post: Post, height: number): ThreadViewPost['parent'] {
  const above = height > 0 ? answeredBy(ctx, thread, post) : undefined
  if (!above) return undefined
  if (!above.post) return defs.notFoundPost.$build({ uri: above.uri, notFound: true })
  if (above.isBlocked) return blockedPost(ctx, above.post)
  const parent = parentView(ctx, thread, above.post, height - 1)
  return defs.threadViewPost.$build({ ...nodeOf(ctx, thread, above.post), parent })
}

function replyViews(ctx: ViewContext, thread: Thread, post: Post, depth: number): ReplyView[] {
  return (thread.replies.get(post.id) ?? []).flatMap((reply): ReplyView[] => {
    if (isHiddenByBlock(ctx, reply)) return [blockedPost(ctx, reply)]
    if (isReplyBlocked(ctx, reply, post)) return []
    const replies = depth > 1 ? replyViews(ctx, thread, reply, depth - 1) : undefined
    return [defs.threadViewPost.$build({ ...nodeOf(ctx, thread, reply), replies })]
  })
}
