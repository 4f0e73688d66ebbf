/** The posts that the viewer of a response sees: blocks and gates hide others. */
import type { ViewContext } from '../load/context.ts'
import { areBlocked, embeddedUri, type Post, postAt, rootOf } from '../load/posts.ts'
import { isBlocked, relationTo } from '../load/relations.ts'
import { isHidden } from './actors.ts'
import { isDetached, violatesPostGate, violatesThreadGate } from './gates.ts'

/** Whether a post is hidden from the viewer: by a block, or by the gate of its thread. */
export function isPostHidden(ctx: ViewContext, post: Post): boolean {
  return isHidden(ctx, post.actor) || isAgainstGate(ctx, post)
}

/** Whether a reply violates the gate of its thread. Only its author sees it. */
export function isAgainstGate(ctx: ViewContext, post: Post): boolean {
  const root = post.actor === ctx.viewer ? undefined : rootOf(ctx, post)
  return root !== undefined && violatesThreadGate(ctx, root, post)
}

/** Whether a quote is listed under the post that it embeds: the author may have detached it, or permit no quotes. */
export function isQuoteListed(ctx: ViewContext, quote: Post): boolean {
  const uri = embeddedUri(quote)
  const quoted = uri === undefined ? undefined : postAt(ctx, uri)
  return !quoted || !(isDetached(ctx, quoted, quote.uri) || violatesPostGate(ctx, quoted, quote))
}

/** Whether a block hides a post from the viewer. */
export function isHiddenByBlock(ctx: ViewContext, { actor }: Post): boolean {
  return isBlocked(relationTo(ctx, actor))
}

/** Whether a block hides a reply and its parent from each other's readers. */
export function isReplyBlocked(ctx: ViewContext, reply: Post, parent: Post): boolean {
  return areBlocked(ctx, reply.actor, parent.actor)
}
