/** Profile views of actors. */
import { type DidString, type HandleString, INVALID_HANDLE } from '@atproto/syntax'
import { app } from '../../lexicons/generated/index.ts'
import { namesOf } from '../config/aliases.ts'
import * as graph from '../store/tables/graph.ts'
import type { DatetimeString } from '../util/time.ts'
import type { ViewContext } from './context.ts'
import { blobUrl } from './images.ts'
import { isBlocked, loadRelations, relationTo } from './relations.ts'

type ProfileRecord = app.example.actor.profile.Main

/** An actor as views show it: without a profile when it is inactive or its profile is invalid. */
export interface Actor {
  readonly id: number
  readonly did: DidString
  readonly handle: HandleString
  readonly isActive: boolean
  /** Creation time of the account; undefined for an actor of another server. */
  readonly createdAt: DatetimeString | undefined
  readonly profile: ProfileRecord | undefined
  /** Time of the last write to the profile. */
  readonly indexedAt: DatetimeString | undefined
}

/** Reads several actors and the viewer's relations to them at once, for the functions below. */
export function loadActors(ctx: ViewContext, actors: Iterable<number>): void {
  const wanted = [...new Set(actors)]
  const missing = wanted.filter((id) => !ctx.actors.has(id))
  const names = namesOf(app.example.actor.profile.$type, ctx.aliases)
  for (const row of missing.length > 0 ? graph.actors(ctx.db, missing, names) : []) {
    ctx.actors.set(row.id, actorOf(ctx, row))
  }
  loadRelations(ctx, wanted)
}

function actorOf(ctx: ViewContext, row: graph.ActorRow): Actor {
  const { id, did, inactive, handle, createdAt, cid, bytes, indexedAt } = row
  const profile =
    cid && bytes && !inactive ? ctx.records.read(app.example.actor.profile.main, cid, bytes) : undefined
  return {
    id,
    did,
    handle: handle ?? (INVALID_HANDLE as HandleString),
    isActive: inactive === 0,
    createdAt: createdAt ?? undefined,
    profile,
    indexedAt:
      profile && indexedAt !== null ? (new Date(indexedAt).toISOString() as DatetimeString) : undefined,
  }
}

/** Returns an actor by its id. */
export function actorById(ctx: ViewContext, id: number): Actor {
  if (!ctx.actors.has(id)) loadActors(ctx, [id])
  const actor = ctx.actors.get(id)
  if (!actor) throw new Error(`There is no actor ${id}`)
  return actor
}

/** Whether lists leave the actor out: it is inactive, or it and the viewer are blocked. */
export function isHidden(ctx: ViewContext, id: number): boolean {
  return !actorById(ctx, id).isActive || isBlocked(relationTo(ctx, id))
}

/** `app.example.actor.defs#profileViewBasic`, the author in other views. */
export function profileViewBasic(ctx: ViewContext, id: number): app.example.actor.defs.ProfileViewBasic {
  const { did, handle, profile } = actorById(ctx, id)
  return { did, handle, displayName: profile?.displayName, avatar: blobUrl(ctx, did, profile?.avatar) }
}

/** `app.example.actor.defs#profileView`, an item of lists of actors. */
export function profileView(ctx: ViewContext, id: number) {
  return { ...profileViewBasic(ctx, id), description: actorById(ctx, id).profile?.description }
}
