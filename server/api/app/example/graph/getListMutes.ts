import { app } from '../../../../../lexicons/generated/index.ts'
import * as lists from '../../../../app/tables/lists.ts'
import { takePage } from '../../../../app/views/find/pages.ts'
import { listViews } from '../../../../app/views/show/lists.ts'
import { method } from '../../../method.ts'

export const getListMutes = method(app.example.graph.getListMutes, {
  auth: 'access',
  handler({ params, auth, caller, names, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth.did)
    const collection = names.stored(app.example.graph.list.$type)
    const { items, cursor } = takePage(params, (page) => lists.muted(ctx.db, ctx.viewer, collection, page))
    return { lists: listViews(ctx, items), cursor }
  },
})
