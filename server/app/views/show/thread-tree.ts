/** Threads as trees: a post with the posts that it answers and the replies to it. */
import { app } from '../../../../lexicons/generated/index.ts'
import { isHiddenByBlock, isReplyBlocked } from '../filter/posts.ts'
import { answeredBy, type Thread } from '../find/threads.ts'
import type { ViewContext } from '../load/context.ts'
import type { Post } from '../load/posts.ts'
import { blockedPost, postView } from './posts.ts'

const { defs } = app.example.feed

type ThreadViewPost = app.example.feed.defs.ThreadViewPost
type ReplyView = NonNullable<ThreadViewPost['replies']>[number]

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
