/** Profile views of actors, and the viewer state in them. */
import { type DidString, type HandleString, INVALID_HANDLE } from '@atproto/syntax'
import { app, chat } from '../../../lexicons/generated/index.ts'
import * as graph from '../../federation/tables/graph.ts'
import type { DatetimeString } from '../../util/time.ts'
import { statusView } from './actor-status.ts'
import type { ViewContext } from './context.ts'
import { blobUrl } from './images.ts'
import { selfLabels } from './labels.ts'
import { listViewBasic, loadLists } from './lists.ts'
import type { ViewRecord } from './records.ts'
import { isBlocked, loadRelations, relationTo } from './relations.ts'

/** The records with the key `self` that describe an actor. */
const lexicons = {
  profile: app.example.actor.profile.main,
  status: app.example.actor.status.main,
  activity: app.example.notification.declaration.main,
  chat: chat.example.actor.declaration.main,
  labeler: app.example.labeler.service.main,
}

interface SelfRecords {
  profile?: ViewRecord<app.example.actor.profile.Main>
  status?: ViewRecord<app.example.actor.status.Main>
  activity?: ViewRecord<app.example.notification.declaration.Main>
  chat?: ViewRecord<chat.example.actor.declaration.Main>
  labeler?: ViewRecord<app.example.labeler.service.Main>
}

/** An actor as views show it, without records when it is inactive. */
export interface Actor extends Readonly<SelfRecords> {
  readonly id: number
  readonly did: DidString
  /** `handle.invalid` for an actor of another server without a verified handle. */
  readonly handle: HandleString
  /** Whether it has an account here, or its identity at another server is known. */
  readonly isKnown: boolean
  readonly isActive: boolean
  /** Creation time of the account; undefined for an actor of another server. */
  readonly createdAt: DatetimeString | undefined
}

/** Reads several actors and the viewer's relations to them at once, for the functions below. */
export function loadActors(ctx: ViewContext, actors: Iterable<number>): void {
  const wanted = [...new Set(actors)]
  const missing = wanted.filter((id) => !ctx.actors.has(id))
  const stored = missing.filter((id) => id > 0)
  if (stored.length > 0) readActors(ctx, stored)
  for (const id of missing) if (id < 0) readTransientActor(ctx, id)
  loadRelations(ctx, wanted)
}

function readActors(ctx: ViewContext, ids: readonly number[]): void {
  const records = selfRecords(ctx, ids)
  const rows = graph.actors(ctx.db, ids)
  const remote = rows.filter(({ createdAt }) => createdAt === null)
  if (remote.length > 0) ctx.refreshSoon(remote.map(({ id }) => id))
  for (const { id, did, inactive, handle, createdAt, isKnown } of rows) {
    ctx.actors.set(id, {
      id,
      did,
      handle: handle ?? (INVALID_HANDLE as HandleString),
      isKnown: isKnown === 1,
      isActive: inactive === 0,
      createdAt: createdAt ?? undefined,
      ...(inactive === 0 ? records.get(id) : {}),
    })
  }
}

function readTransientActor(ctx: ViewContext, id: number): void {
  const actor = ctx.transient.get(id)
  if (!actor) return
  const { did, handle } = actor
  const profile = actor.profile && ctx.records.read(lexicons.profile, actor.profile)
  ctx.actors.set(id, {
    ...{ id, did, handle: handle ?? (INVALID_HANDLE as HandleString) },
    ...{ isKnown: true, isActive: true, createdAt: undefined },
    ...(profile && { profile }),
  })
}

function selfRecords(ctx: ViewContext, ids: readonly number[]): Map<number, SelfRecords> {
  const kinds = new Map<string, keyof SelfRecords>()
  for (const [kind, { $type }] of Object.entries(lexicons)) {
    kinds.set(ctx.names.stored($type), kind as keyof SelfRecords)
  }
  const found = new Map<number, SelfRecords>()
  for (const row of graph.selfRecords(ctx.db, ids, [...kinds.keys()])) {
    const kind = kinds.get(row.collection)
    if (!kind) continue
    const records = found.get(row.actor) ?? {}
    found.set(row.actor, Object.assign(records, { [kind]: ctx.records.read(lexicons[kind], row) }))
  }
  return found
}

/** Returns an actor by its id. */
export function actorById(ctx: ViewContext, id: number): Actor {
  if (!ctx.actors.has(id)) loadActors(ctx, [id])
  const actor = ctx.actors.get(id)
  if (!actor) throw new Error(`There is no actor ${id}`)
  return actor
}

/** Whether lists leave an actor out: it is inactive, or it or the viewer blocks the other. The viewer is never left out. */
export function isHidden(ctx: ViewContext, id: number): boolean {
  if (id === ctx.viewer) return false
  return !actorById(ctx, id).isActive || isBlocked(relationTo(ctx, id))
}

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
}: Actor): app.example.actor.defs.ProfileAssociated | undefined {
  if (!activity && !chat && !labeler) return undefined
  return {
    activitySubscription: activity && { allowSubscriptions: activity.value.allowSubscriptions },
    chat: chat && {
      allowIncoming: chat.value.allowIncoming,
      allowGroupInvites: chat.value.allowGroupInvites,
    },
    labeler: labeler ? true : undefined,
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
