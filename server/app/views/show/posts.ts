/** Views of posts. Call `loadPosts` first, which reads their rows. */
import type { AtUriString } from '@atproto/syntax'
import { app } from '../../../../lexicons/generated/index.ts'
import { mayQuote, mayReply, violatesThreadGate } from '../filter/gates.ts'
import { actorById } from '../load/actors.ts'
import type { ViewContext } from '../load/context.ts'
import { threadGateOf } from '../load/gates.ts'
import { loadLists } from '../load/lists.ts'
import type { ThreadGate } from '../load/loaded.ts'
import { type Post, postAt, recordAt, responsesTo, rootOf } from '../load/posts.ts'
import { jsonOf } from '../load/records.ts'
import { embedView } from './embeds.ts'
import { selfLabels } from './labels.ts'
import { listViewBasic } from './list-basics.ts'
import { profileViewBasic, viewerState } from './profiles.ts'

const { defs, threadgate } = app.example.feed

/** `app.example.feed.defs#postView` */
export function postView(ctx: ViewContext, post: Post): app.example.feed.defs.PostView {
  const { likes, reposts, replies, quotes } = responsesTo(ctx, post)
  const gate = post.value.reply ? undefined : threadGateOf(ctx, post)
  return {
    uri: post.uri,
    cid: post.cid,
    author: profileViewBasic(ctx, post.actor),
    record: jsonOf(post),
    embed: embedView(ctx, post),
    likeCount: likes,
    repostCount: reposts,
    replyCount: replies,
    quoteCount: quotes,
    indexedAt: post.indexedAt,
    viewer: postViewerState(ctx, post),
    labels: selfLabels(post.value, post),
    threadgate: gate && threadGateView(ctx, gate),
  }
}

/** `app.example.feed.defs#viewerState`; undefined for an anonymous viewer. */
function postViewerState(ctx: ViewContext, post: Post): app.example.feed.defs.ViewerState | undefined {
  const { viewer } = ctx
  if (viewer === undefined) return undefined
  const { like, repost, isBookmarked, isThreadMuted } = responsesTo(ctx, post)
  return {
    like,
    repost,
    bookmarked: isBookmarked,
    threadMuted: isThreadMuted,
    replyDisabled: isReplyDisabled(ctx, post, viewer) ? true : undefined,
    embeddingDisabled: mayQuote(ctx, post, viewer) ? undefined : true,
    pinned: viewer === post.actor && isPinned(ctx, post) ? true : undefined,
  }
}

function isReplyDisabled(ctx: ViewContext, post: Post, viewer: number): boolean {
  const root = rootOf(ctx, post)
  return root !== undefined && (!mayReply(ctx, root, viewer) || violatesThreadGate(ctx, root, post))
}

function isPinned(ctx: ViewContext, post: Post): boolean {
  const pinned = pinnedUri(ctx, post.actor)
  return pinned !== undefined && postAt(ctx, pinned)?.id === post.id
}

/** URI of the post that an actor's profile pins. */
export function pinnedUri(ctx: ViewContext, actor: number): AtUriString | undefined {
  return actorById(ctx, actor).profile?.value.pinnedPost?.uri
}

/** `app.example.feed.defs#threadgateView` */
export function threadGateView(ctx: ViewContext, gate: ThreadGate): app.example.feed.defs.ThreadgateView {
  const uris = (gate.value.allow ?? []).flatMap((rule) =>
    threadgate.listRule.$isTypeOf(rule) ? [rule.list] : [],
  )
  const lists = loadLists(
    ctx,
    uris.flatMap((uri) => recordAt(ctx, uri)?.id ?? []),
  )
  return {
    uri: gate.uri,
    cid: gate.cid,
    record: jsonOf(gate),
    lists: Array.from(lists.values(), (list) => listViewBasic(ctx, list)),
  }
}

/** View of the gate of a thread. @param root its first post, if it is here */
export function gateOfThread(ctx: ViewContext, root: Post | undefined) {
  const gate = root && threadGateOf(ctx, root)
  return gate && threadGateView(ctx, gate)
}

/** `app.example.feed.defs#blockedPost` */
export function blockedPost(ctx: ViewContext, post: Post) {
  return defs.blockedPost.$build({ uri: post.uri, blocked: true, author: blockedAuthor(ctx, post) })
}

/** `app.example.feed.defs#blockedAuthor` */
export function blockedAuthor(
  ctx: ViewContext,
  { did, actor }: Pick<Post, 'did' | 'actor'>,
): app.example.feed.defs.BlockedAuthor {
  return { did, viewer: viewerState(ctx, actor) }
}
