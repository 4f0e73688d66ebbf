/** The posts of a thread: those that its anchor answers, and the replies to it. */
import type { AtUriString } from '@atproto/syntax'
import { paths } from '../../../repository/format/link-paths.ts'
import * as postLinks from '../../tables/post-links.ts'
import { isAgainstGate, isHiddenByBlock, isReplyBlocked } from '../filter/posts.ts'
import type { ViewContext } from '../load/context.ts'
import {
  keyOf,
  loadPosts,
  type Post,
  postAt,
  postCollection,
  postsById,
  rootOf,
  rootUri,
} from '../load/posts.ts'

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
