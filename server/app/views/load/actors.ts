/** Reads actors with the records that describe them, and the viewer's relations to them. */
import { type HandleString, INVALID_HANDLE } from '@atproto/syntax'
import { app, chat, com } from '../../../../lexicons/generated/index.ts'
import * as graph from '../../../federation/tables/graph.ts'
import type { ViewContext } from './context.ts'
import type { Actor, SelfRecords } from './loaded.ts'
import { loadRelations } from './relations.ts'

/** The records with the key `self` that describe an actor. */
const lexicons = {
  profile: app.example.actor.profile.main,
  status: app.example.actor.status.main,
  activity: app.example.notification.declaration.main,
  chat: chat.example.actor.declaration.main,
  labeler: app.example.labeler.service.main,
  visibility: app.example.actor.contentVisibilityDeclaration.main,
  germ: com.germnetwork.declaration.main,
}

/** Reads several actors and the viewer's relations to them at once, for `actorById` and `relationTo`. */
export function loadActors(ctx: ViewContext, actors: Iterable<number>): void {
  const wanted = [...new Set(actors)]
  const missing = wanted.filter((id) => !ctx.actors.has(id))
  const stored = missing.filter((id) => id > 0)
  if (stored.length > 0) readActors(ctx, stored)
  for (const id of missing) if (id < 0) readTransientActor(ctx, id)
  loadRelations(ctx, wanted)
}

/** As `loadActors`, of the authors or subjects of rows. */
export function loadActorsOf(ctx: ViewContext, rows: Iterable<{ readonly actor: number }>): void {
  loadActors(
    ctx,
    Array.from(rows, ({ actor }) => actor),
  )
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
