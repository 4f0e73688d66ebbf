/** Views of starter packs: lists of accounts to follow. */
import { app } from '../../../../lexicons/generated/index.ts'
import { iso } from '../../../util/time.ts'
import * as lists from '../../tables/lists.ts'
import { joined } from '../../tables/starter-packs.ts'
import { isHidden } from '../filter/actors.ts'
import type { StarterPack } from '../find/starter-packs.ts'
import type { ViewContext } from '../load/context.ts'
import { jsonOf } from '../load/records.ts'
import { listViewBasic } from './list-basics.ts'
import { listItemViews } from './lists.ts'
import { profileViewBasic } from './profiles.ts'

const { starterpack } = app.example.graph

const week = 7 * 24 * 60 * 60 * 1000
const sampleSize = 12

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
