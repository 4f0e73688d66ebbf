/** Reads lists. A list is identified by the id of its record. */
import { app } from '../../../../lexicons/generated/index.ts'
import * as graph from '../../../federation/tables/graph.ts'
import * as lists from '../../tables/lists.ts'
import type { ViewContext } from './context.ts'
import type { ViewRecord } from './records.ts'

export interface List extends ViewRecord<app.example.graph.list.Main> {
  readonly items: number
  readonly viewer: app.example.graph.defs.ListViewerState | undefined
}

/** Reads lists at once. Leaves out lists whose record is invalid or deleted. */
export function loadLists(ctx: ViewContext, ids: readonly number[]): Map<number, List> {
  const found = new Map<number, List>()
  if (ids.length === 0) return found
  const states = new Map(lists.states(ctx.db, ids, ctx.viewer).map((state) => [state.id, state]))
  const blocks = [...states.values()].map(({ block }) => block).filter((id) => id !== null)
  const blockUris = graph.recordUris(ctx.db, blocks)
  for (const row of graph.recordsById(ctx.db, ids)) {
    const record = ctx.records.read(app.example.graph.list.main, row)
    const state = states.get(row.id)
    if (!record || !state) continue
    const viewer =
      ctx.viewer === undefined
        ? undefined
        : { muted: state.muted === 1, blocked: state.block === null ? undefined : blockUris.get(state.block) }
    found.set(row.id, { ...record, items: state.items, viewer })
  }
  return found
}
