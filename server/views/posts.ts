/** Views of posts. Posts are read by `loadPosts` first. */
import type { AtUriString } from '@atproto/syntax'
import { app } from '../../lexicons/generated/index.ts'
import type { ViewContext } from './context.ts'
import { embedView } from './embeds.ts'
import { mayQuote, mayReply, threadGateOf, violatesThreadGate } from './gates.ts'
import { selfLabels } from './labels.ts'
import { loadPosts, type Post, postAt, responsesTo, rootUri } from './load-posts.ts'
import { actorById, profileViewBasic, viewerState } from './profiles.ts'
import { isBlocked, relationTo } from './relations.ts'

const { defs } = app.example.feed

/** `app.example.feed.defs#postView` */
export function postView(ctx: ViewContext, post: Post): app.example.feed.defs.PostView {
  const { likes, reposts, replies, quotes } = responsesTo(ctx, post)
  return {
    uri: post.uri,
    cid: post.cid,
    author: profileViewBasic(ctx, post.actor),
    record: post.json,
    embed: embedView(ctx, post),
    likeCount: likes,
    repostCount: reposts,
    replyCount: replies,
    quoteCount: quotes,
    indexedAt: post.indexedAt,
    labels: selfLabels(post.value, post),
    viewer: postViewer(ctx, post),
    threadgate: post.value.reply ? undefined : threadgateView(ctx, post),
  }
}
