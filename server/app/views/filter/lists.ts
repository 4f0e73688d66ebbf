/** The lists that views show. */
import { loadActorsOf } from '../load/actors.ts'
import type { ViewContext } from '../load/context.ts'
import { type List, loadLists } from '../load/lists.ts'
import { isVisible } from './actors.ts'

/** Returns the valid lists of active authors, also blocked ones: their lists can be blocked and muted. */
export function visibleLists(ctx: ViewContext, ids: readonly number[]): List[] {
  const found = loadLists(ctx, ids)
  loadActorsOf(ctx, found.values())
  return ids.flatMap((id) => found.get(id) ?? []).filter(({ actor }) => isVisible(ctx, actor))
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
