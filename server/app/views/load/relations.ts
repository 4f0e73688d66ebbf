/** Relations between the viewer of a response and other actors. */
import { app } from '../../../../lexicons/generated/index.ts'
import * as graph from '../../../federation/tables/graph.ts'
import * as lists from '../../tables/lists.ts'
import type { ViewContext } from './context.ts'
import type { Relation } from './loaded.ts'

const none: Relation = { muted: false }

/** Returns the relations between the viewer and an actor. The viewer has no relation to itself. */
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
  for (const [actor, relation] of relationsOf(ctx, viewer, missing)) ctx.relations.set(actor, relation)
}

/** Returns the relations of any actor. `muted` is private: only the actor itself may see it. */
export function relationsOf(
  { db, names: { stored } }: ViewContext,
  from: number,
  actors: readonly number[],
): Map<number, Relation> {
  const { list, listblock } = app.example.graph
  const names = { list: stored(list.$type), listblock: stored(listblock.$type) }
  const rows = graph.relations(db, from, actors)
  const listBlocks = [
    ...lists.blocksByList(db, [from], actors, names),
    ...lists.blocksByList(db, actors, [from], names),
  ]
  const mutes = lists.mutesAny(db, from) ? lists.mutesByList(db, from, actors, names.list) : []
  const listMutes = new Map(mutes.map((each) => [each.actor, each.list]))
  const ids = rows.flatMap((row) => [row.following, row.followedBy, row.blocking, row.blockedBy])
  const uris = graph.recordUris(db, [
    ...ids.filter((id) => id !== null),
    ...listBlocks.map(({ record }) => record),
  ])
  const uriOf = (id: number | null) => (id === null ? undefined : uris.get(id))
  const listBlock = (blocker: number, blocked: number) => {
    const found = listBlocks.find((each) => each.from === blocker && each.actor === blocked)
    const uri = found && uris.get(found.record)
    return uri && { list: found.list, uri }
  }
  return new Map(
    rows.map((row) => [
      row.actor,
      {
        muted: row.muted === 1 || listMutes.has(row.actor),
        mutedByList: listMutes.get(row.actor),
        blocking: uriOf(row.blocking),
        blockingByList: listBlock(from, row.actor),
        blockedBy: uriOf(row.blockedBy),
        blockedByList: listBlock(row.actor, from),
        following: uriOf(row.following),
        followedBy: uriOf(row.followedBy),
      },
    ]),
  )
}

/** Whether either of the two blocks the other, directly or by a list. */
export function isBlocked({ blocking, blockingByList, blockedBy, blockedByList }: Relation): boolean {
  return (blocking ?? blockingByList ?? blockedBy ?? blockedByList) !== undefined
}
