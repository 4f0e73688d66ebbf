/** Views of lists and their items. */
import type { AtUriString } from '@atproto/syntax'
import type { app } from '../../../../lexicons/generated/index.ts'
import * as graph from '../../../federation/tables/graph.ts'
import type * as lists from '../../tables/lists.ts'
import { isVisible } from '../filter/actors.ts'
import { visibleLists } from '../filter/lists.ts'
import { loadActors } from '../load/actors.ts'
import type { ViewContext } from '../load/context.ts'
import type { List } from '../load/lists.ts'
import { listFields } from './list-basics.ts'
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
    ...listFields(ctx, list),
    creator: profileView(ctx, list.actor),
    description,
    descriptionFacets,
  }
}

/** Returns the items of a list: of active actors, also of blocked ones, because lists serve to block. */
export function listItemViews(ctx: ViewContext, items: readonly lists.ListItem[]): ListItemView[] {
  loadActors(
    ctx,
    items.map(({ actor }) => actor),
  )
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
