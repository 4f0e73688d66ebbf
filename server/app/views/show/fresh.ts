/** Records that an account wrote within the last minute, for responses of an app view whose index lags behind. */
import { app } from '../../../../lexicons/generated/index.ts'
import { type Projection, projection, type Rename } from '../../../platform/xrpc/project.ts'
import * as feed from '../../tables/feed.ts'
import { isInAuthorFeed } from '../filter/feeds.ts'
import { actorById } from '../load/actors.ts'
import type { SignedInContext } from '../load/context.ts'
import { feedPage } from './feeds.ts'
import { profileViewDetailed } from './profile-detail.ts'

const { feed: feeds, actor } = app.example

/** Milliseconds within which an app view indexes a record. */
const lagMs = 60_000
/** Posts and reposts at most. */
const limit = 50

const projectItem: Projection = projection(feeds.defs.feedViewPost)
const projectProfile: Projection = projection(actor.defs.profileViewDetailed)

/** Returns the fresh writes of the viewer; undefined if there are none. @param rename maps them to the names of the caller */
export function freshWrites(
  ctx: SignedInContext,
  rename: Rename | undefined,
): { items: unknown[]; profile: unknown } | undefined {
  const since = ctx.now().getTime() - lagMs
  const items = freshItems(ctx, since).map((item) => projectItem(item, rename))
  const { profile } = actorById(ctx, ctx.viewer)
  const isEdited = profile !== undefined && Date.parse(profile.indexedAt) >= since
  if (items.length === 0 && !isEdited) return undefined
  return {
    items,
    profile: isEdited ? projectProfile(profileViewDetailed(ctx, ctx.viewer), rename) : undefined,
  }
}

/** Posts, replies and reposts of the viewer as items of a feed, newest first. */
function freshItems(ctx: SignedInContext, since: number) {
  const page = feedPage(ctx, {
    limit,
    before: feed.newest,
    read: (slice) => feed.entriesBy(ctx.db, ctx.viewer, 'all', slice).filter(({ sortAt }) => sortAt >= since),
    shows: (item) => isInAuthorFeed(ctx, item),
  })
  return page.feed.map(({ reply, ...item }) => {
    // The parent of a reply may be known to the app view alone.
    const isKnown = reply && [reply.root, reply.parent].every((post) => feeds.defs.postView.$isTypeOf(post))
    return isKnown ? { reply, ...item } : item
  })
}
