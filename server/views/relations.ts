/** Relations between the viewer of a response and other actors. */
import type { AtUriString } from '@atproto/syntax'
import * as graph from '../store/tables/graph.ts'
import type { ViewContext } from './context.ts'

export interface Relation {
  readonly muted: boolean
  /** Whether the actor blocks the viewer, directly or by a list. */
  readonly blockedBy: boolean
  /** The viewer's block record. */
  readonly blocking?: AtUriString | undefined
  /** The viewer's follow record. */
  readonly following?: AtUriString | undefined
  /** The actor's follow record. */
  readonly followedBy?: AtUriString | undefined
}

const none: Relation = { muted: false, blockedBy: false }

/** Returns what the viewer and an actor are to each other. The viewer has no relation to itself. */
export function relationTo(ctx: ViewContext, actor: number): Relation {
  if (!ctx.relations.has(actor)) loadRelations(ctx, [actor])
  return ctx.relations.get(actor) ?? none
}

/** Reads the relations to several actors at once, for `relationTo`. */
export function loadRelations(ctx: ViewContext, actors: Iterable<number>): void {
  const { viewer } = ctx
  if (viewer === undefined) return
  const missing = [...new Set(actors)].filter((id) => id !== viewer && !ctx.relations.has(id))
  if (missing.length === 0) return
  const rows = graph.relations(ctx.db, viewer, missing)
  const ids = rows.flatMap(({ following, followedBy, blocking }) => [following, followedBy, blocking])
  const uris = graph.recordUris(
    ctx.db,
    ids.filter((id) => id !== null),
  )
  const uriOf = (id: number | null) => (id === null ? undefined : uris.get(id))
  for (const row of rows) {
    ctx.relations.set(row.actor, {
      muted: row.muted === 1,
      blockedBy: row.blockedBy !== null,
      blocking: uriOf(row.blocking),
      following: uriOf(row.following),
      followedBy: uriOf(row.followedBy),
    })
  }
}

/** Whether either of the two blocks the other, directly or by a list. */
export function isBlocked({ blocking, blockedBy }: Relation): boolean {
  return blockedBy || blocking !== undefined
}
