/** Views of lists and their items. */
import type { AtUriString } from '@atproto/syntax'
import type { app } from '../../../lexicons/generated/index.ts'
import * as graph from '../../federation/tables/graph.ts'
import type * as lists from '../tables/lists.ts'
import type { ViewContext } from './context.ts'
import { isVisible } from './find.ts'
import { type List, listFields, loadLists } from './lists.ts'
import { loadActors, profileView } from './profiles.ts'

type ListView = app.example.graph.defs.ListView
type ListItemView = app.example.graph.defs.ListItemView

/** Returns the views of lists in the order of their ids. Leaves out invalid ones and lists of inactive authors. */
export function listViews(ctx: ViewContext, ids: readonly number[]): ListView[] {
  return visibleLists(ctx, ids).map((list) => listView(ctx, list))
}

/** Returns the valid lists of active authors, also blocked ones: their lists can be blocked and muted. */
export function visibleLists(ctx: ViewContext, ids: readonly number[]): List[] {
  const found = loadLists(ctx, ids)
  loadActors(
    ctx,
    [...found.values()].map(({ actor }) => actor),
  )
  return ids.flatMap((id) => found.get(id) ?? []).filter(({ actor }) => isVisible(ctx, actor))
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

/** The purposes of lists that `getLists` returns; the lists of starter packs are not shown by themselves. */
const purposes: Readonly<Record<string, string>> = {
  modlist: 'app.example.graph.defs#modlist',
  curatelist: 'app.example.graph.defs#curatelist',
}

/** Whether a list has one of the purposes, by default any of them. */
export function hasPurpose({ value }: List, wanted: readonly string[] = Object.keys(purposes)): boolean {
  return wanted.some((name) => purposes[name] === value.purpose)
}
