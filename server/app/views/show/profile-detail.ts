/** Detailed profile views. */
import { app } from '../../../../lexicons/generated/index.ts'
import * as graph from '../../../federation/tables/graph.ts'
import * as activitySubscriptions from '../../tables/activity-subscriptions.ts'
import { isHidden } from '../filter/actors.ts'
import { starterPackAt } from '../find/starter-packs.ts'
import { actorById, loadActors } from '../load/actors.ts'
import type { ViewContext } from '../load/context.ts'
import { blobUrl } from './images.ts'
import { profileFields, profileViewBasic } from './profiles.ts'
import { starterPackViewBasic } from './starter-packs.ts'

type ProfileViewDetailed = app.example.actor.defs.ProfileViewDetailed

const { feed, graph: lexicons } = app.example

/** Known followers in a view, and in the count beside them. */
const sampleSize = 5
const maxKnownFollowers = 10_000

/** `app.example.actor.defs#profileViewDetailed` */
export function profileViewDetailed(ctx: ViewContext, id: number): ProfileViewDetailed {
  const actor = actorById(ctx, id)
  const { did, profile } = actor
  const { associated, viewer, ...fields } = profileFields(ctx, actor)
  const countOf = counter(ctx, id)
  const { followers, follows } = graph.followCounts(ctx.db, id)
  return {
    ...fields,
    website: profile?.value.website,
    // The basic view has its thumbnail.
    avatar: blobUrl(ctx, did, profile?.value.avatar),
    banner: blobUrl(ctx, did, profile?.value.banner, 'banner'),
    followersCount: followers,
    followsCount: follows,
    postsCount: countOf(feed.post.$type),
    associated: {
      activitySubscription: { allowSubscriptions: 'followers' },
      ...associated,
      lists: countOf(lexicons.list.$type),
      feedgens: countOf(feed.generator.$type),
      starterPacks: countOf(lexicons.starterpack.$type),
      labeler: associated?.labeler ?? false,
    },
    joinedViaStarterPack: joinedVia(ctx, profile?.value.joinedViaStarterPack?.uri),
    viewer: viewer && { ...viewer, ...privateState(ctx, id) },
    pinnedPost: pinnedPost(did, profile?.value.pinnedPost),
  }
}

/** Returns a function that returns the number of the actor's records in a collection. */
function counter({ db, names }: ViewContext, id: number): (collection: string) => number {
  const collections = [feed.post, feed.generator, lexicons.list, lexicons.starterpack]
  const sizes = graph.collectionSizes(
    db,
    id,
    collections.map(({ $type }) => names.stored($type)),
  )
  return (collection) => sizes.get(names.stored(collection)) ?? 0
}

function joinedVia(ctx: ViewContext, uri: string | undefined) {
  const pack = uri === undefined ? undefined : starterPackAt(ctx, uri)
  return pack && starterPackViewBasic(ctx, pack)
}

/** Only a post of the same account can be pinned. */
function pinnedPost(did: string, ref: ProfileViewDetailed['pinnedPost']): ProfileViewDetailed['pinnedPost'] {
  return ref?.uri.startsWith(`at://${did}/`) ? { uri: ref.uri, cid: ref.cid } : undefined
}

/** The parts of the viewer state that only detailed views have. */
function privateState(
  ctx: ViewContext,
  id: number,
): Pick<app.example.actor.defs.ViewerState, 'activitySubscription' | 'knownFollowers'> {
  if (ctx.viewer === undefined || ctx.viewer === id) return {}
  const viewer = actorById(ctx, ctx.viewer)
  const subscription = activitySubscriptions.find(ctx.db, viewer.did, actorById(ctx, id).did)
  return {
    knownFollowers: knownFollowers(ctx, id, viewer.id),
    activitySubscription: subscription && {
      post: subscription.post === 1,
      reply: subscription.reply === 1,
    },
  }
}

function knownFollowers(
  ctx: ViewContext,
  id: number,
  viewer: number,
): app.example.actor.defs.KnownFollowers | undefined {
  const follows = ctx.names.stored(lexicons.follow.$type)
  const found = graph.knownFollowers(ctx.db, id, viewer, follows, { limit: maxKnownFollowers })
  if (found.length === 0) return undefined
  const sample = found.slice(0, sampleSize).map(({ actor }) => actor)
  loadActors(ctx, sample)
  const followers = sample.filter((actor) => !isHidden(ctx, actor))
  return { count: found.length, followers: followers.map((actor) => profileViewBasic(ctx, actor)) }
}
