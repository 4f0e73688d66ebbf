/** Views of lists and their items. */
import type { AtUriString } from '@atproto/syntax'
import type { app } from '../../../../lexicons/generated/index.ts'
import * as graph from '../../../federation/tables/graph.ts'
import { isVisible } from '../filter/actors.ts'
import { visibleLists } from '../filter/lists.ts'
import { loadActorsOf } from '../load/actors.ts'
import type { ViewContext } from '../load/context.ts'
import type { List } from '../load/lists.ts'
import { listViewBasic } from './list-basics.ts'
import { profileView } from './profiles.ts'

type ListView = app.example.graph.defs.ListView
type ListItemView = app.example.graph.defs.ListItemView

/** Returns the views of lists in the order of their ids. Leaves out invalid ones and lists of inactive authors. */
export function listViews(ctx: ViewContext, ids: readonly number[]): ListView[] {
  return visibleLists(ctx, ids).map((list) => listView(ctx, list))
}

/** `app.example.graph.defs#listView` */
export function listView(ctx: ViewContext, list: List): ListView {
  const { description, descriptionFacets } = list.value
  return {
    ...listViewBasic(ctx, list),
    creator: profileView(ctx, list.actor),
    description,
    descriptionFacets,
  }
}

/** Returns the items of a list: of active actors, also of blocked ones, because lists serve to block. */
export function listItemViews(ctx: ViewContext, items: readonly graph.RelatedActor[]): ListItemView[] {
  loadActorsOf(ctx, items)
  const shown = items.filter(({ actor }) => isVisible(ctx, actor))
  const uris = graph.recordUris(
    ctx.db,
    shown.map(({ record }) => record),
  )
  return shown.map(({ actor, record }) => ({
    uri: uris.get(record) as AtUriString,
    subject: profileView(ctx, actor),
  }))
}
