/** Views of starter packs: lists of accounts to follow. */
import { app } from '../../../lexicons/generated/index.ts'
import * as graph from '../../federation/tables/graph.ts'
import { iso } from '../../util/time.ts'
import * as lists from '../tables/lists.ts'
import { joined } from '../tables/starter-packs.ts'
import type { ViewContext } from './context.ts'
import { findRecord } from './find.ts'
import { listItemViews } from './list-views.ts'
import { type List, listViewBasic, loadLists } from './lists.ts'
import { isHidden, profileViewBasic } from './profiles.ts'
import { jsonOf, type ViewRecord } from './records.ts'

const { starterpack, list: listCollection } = app.example.graph

/** A valid starter pack, and its list if that is here. */
export interface StarterPack extends ViewRecord<app.example.graph.starterpack.Main> {
  readonly list: List | undefined
}

const week = 7 * 24 * 60 * 60 * 1000
const sampleSize = 12

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

/** `app.example.graph.defs#starterPackViewBasic` */
export function starterPackViewBasic(
  ctx: ViewContext,
  pack: StarterPack,
): app.example.graph.defs.StarterPackViewBasic {
  return { ...commonView(ctx, pack), listItemCount: pack.list?.items }
}

/** `app.example.graph.defs#starterPackView` */
export function starterPackView(ctx: ViewContext, pack: StarterPack): app.example.graph.defs.StarterPackView {
  const { list } = pack
  return {
    ...commonView(ctx, pack),
    list: list && listViewBasic(ctx, list),
    listItemsSample: list && sample(ctx, list.id),
  }
}

function sample(ctx: ViewContext, list: number): app.example.graph.defs.ListItemView[] {
  const members = lists.members(ctx.db, list, { limit: sampleSize })
  return listItemViews(
    ctx,
    members.filter(({ actor }) => !isHidden(ctx, actor)),
  )
}

function commonView(ctx: ViewContext, pack: StarterPack) {
  const { actor, uri, cid, indexedAt } = pack
  const rkey = uri.slice(uri.lastIndexOf('/') + 1)
  const since = iso(new Date(ctx.now().getTime() - week))
  const counts = joined(ctx.db, { actor, rkey }, ctx.names.stored(starterpack.$type), since)
  return {
    uri,
    cid,
    record: jsonOf(pack),
    creator: profileViewBasic(ctx, actor),
    joinedWeekCount: counts.recent,
    joinedAllTimeCount: counts.total,
    labels: [],
    indexedAt,
  }
}
