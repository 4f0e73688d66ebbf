/** Starter packs by URI and by id: valid ones of actors that the viewer sees. */
import { app } from '../../../../lexicons/generated/index.ts'
import * as graph from '../../../federation/tables/graph.ts'
import { isHidden } from '../filter/actors.ts'
import type { ViewContext } from '../load/context.ts'
import { type List, loadLists } from '../load/lists.ts'
import type { ViewRecord } from '../load/records.ts'
import { findRecord } from './named.ts'

const { starterpack, list: listCollection } = app.example.graph

/** A valid starter pack, and its list if that is here. */
export interface StarterPack extends ViewRecord<app.example.graph.starterpack.Main> {
  readonly list: List | undefined
}

/** Returns the starter pack at a URI; undefined for an invalid one, and when its author is hidden. */
export function starterPackAt(ctx: ViewContext, uri: string): StarterPack | undefined {
  const row = findRecord(ctx, uri, starterpack.$type)
  return row && starterPackOf(ctx, row)
}

/** Returns the valid starter packs among records, in the order of their ids. */
export function starterPacksById(ctx: ViewContext, ids: readonly number[]): StarterPack[] {
  const rows = new Map(graph.recordsById(ctx.db, ids).map((row) => [row.id, row]))
  return ids
    .map((id) => rows.get(id))
    .map((row) => row && starterPackOf(ctx, row))
    .filter((pack) => pack !== undefined)
}

function starterPackOf(ctx: ViewContext, row: graph.RecordRow): StarterPack | undefined {
  const pack = ctx.records.read(starterpack.main, row)
  if (!pack || isHidden(ctx, pack.actor)) return undefined
  const list = findRecord(ctx, pack.value.list, listCollection.$type)
  // A starter pack shows only a list of its own author.
  return { ...pack, list: list?.actor === pack.actor ? loadLists(ctx, [list.id]).get(list.id) : undefined }
}
