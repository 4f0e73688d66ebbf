import { app } from '../../../../../lexicons/generated/index.ts'
import * as lists from '../../../../app/tables/lists.ts'
import { takePage } from '../../../../app/views/find/pages.ts'
import { listViews } from '../../../../app/views/show/lists.ts'
import { method } from '../../../method.ts'

export const getListBlocks = method(app.example.graph.getListBlocks, {
  auth: 'access',
  handler({ params, auth, caller, names, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth.did)
    const { list, listblock } = app.example.graph
    const collections = { list: names.stored(list.$type), listblock: names.stored(listblock.$type) }
    const { items, cursor } = takePage(params, (page) => lists.blocked(ctx.db, ctx.viewer, collections, page))
    const ids = items.map((item) => item.list)
    return { lists: listViews(ctx, ids), cursor }
  },
})
