/** Profile views of actors, and the viewer state in them. */
import type { app } from '../../../../lexicons/generated/index.ts'
import { actorById } from '../load/actors.ts'
import type { ViewContext } from '../load/context.ts'
import { loadLists } from '../load/lists.ts'
import type { Actor } from '../load/loaded.ts'
import { isBlocked, relationTo } from '../load/relations.ts'
import { statusView } from './actor-status.ts'
import { blobUrl } from './images.ts'
import { selfLabels } from './labels.ts'
import { listViewBasic } from './list-basics.ts'

/** `app.example.actor.defs#profileViewBasic`, the author in other views. */
export function profileViewBasic(ctx: ViewContext, id: number): app.example.actor.defs.ProfileViewBasic {
  return basicFields(ctx, actorById(ctx, id))
}

/** `app.example.actor.defs#profileView`, an item of lists of actors. */
export function profileView(ctx: ViewContext, id: number): app.example.actor.defs.ProfileView {
  return profileFields(ctx, actorById(ctx, id))
}

/** The fields of profile views, for detailed views. */
export function profileFields(ctx: ViewContext, actor: Actor) {
  const { profile } = actor
  return {
    ...basicFields(ctx, actor),
    description: profile?.value.description,
    indexedAt: profile?.indexedAt,
  }
}

function basicFields(ctx: ViewContext, actor: Actor) {
  const { id, did, handle, createdAt, profile, status } = actor
  return {
    did,
    handle,
    displayName: profile?.value.displayName,
    pronouns: profile?.value.pronouns,
    avatar: blobUrl(ctx, did, profile?.value.avatar, 'avatar_thumbnail'),
    associated: associated(actor),
    viewer: viewerState(ctx, id),
    labels: profile ? selfLabels(profile.value, profile) : [],
    createdAt,
    status: status && statusView(ctx, status),
  }
}

/** The declarations of an actor; undefined without any. */
function associated({
  activity,
  chat,
  labeler,
  germ,
}: Actor): app.example.actor.defs.ProfileAssociated | undefined {
  const declared = germ?.value.messageMe
  // Clients open it: any other scheme would run a script or another program there.
  const messageMe = declared && URL.parse(declared.messageMeUrl)?.protocol === 'https:' ? declared : undefined
  if (!activity && !chat && !labeler && !messageMe) return undefined
  return {
    activitySubscription: activity && { allowSubscriptions: activity.value.allowSubscriptions },
    chat: chat && {
      allowIncoming: chat.value.allowIncoming,
      allowGroupInvites: chat.value.allowGroupInvites,
    },
    labeler: labeler ? true : undefined,
    germ: messageMe && {
      messageMeUrl: messageMe.messageMeUrl,
      showButtonTo: messageMe.showButtonTo,
    },
  }
}

/** `app.example.actor.defs#viewerState`; undefined for an anonymous viewer. */
export function viewerState(ctx: ViewContext, id: number): app.example.actor.defs.ViewerState | undefined {
  if (ctx.viewer === undefined) return undefined
  const relation = relationTo(ctx, id)
  const { muted, mutedByList, blocking, blockingByList, blockedBy, blockedByList } = relation
  const follows = isBlocked(relation) ? undefined : relation
  return {
    muted,
    mutedByList: mutedByList === undefined ? undefined : listOf(ctx, mutedByList),
    blockedBy: (blockedBy ?? blockedByList) !== undefined,
    blocking: blocking ?? blockingByList?.uri,
    blockingByList: blockingByList && listOf(ctx, blockingByList.list),
    following: follows?.following,
    followedBy: follows?.followedBy,
  }
}

function listOf(ctx: ViewContext, id: number): app.example.graph.defs.ListViewBasic | undefined {
  if (!ctx.lists.has(id)) {
    const list = loadLists(ctx, [id]).get(id)
    ctx.lists.set(id, list && listViewBasic(ctx, list))
  }
  return ctx.lists.get(id)
}
