import { app } from '../../../../../lexicons/generated/index.ts'
import { listViews } from '../../../../app/views/list-views.ts'
import { readPage, takePage } from '../../../../app/views/pages.ts'
import * as lists from '../../../../platform/store/tables/lists.ts'
import { method } from '../../../method.ts'

export const getListMutes = method(app.example.graph.getListMutes, {
  auth: 'access',
  handler({ params, auth, caller, names, viewContext }) {
    const ctx = viewContext(caller.origin, auth.did)
    const collection = names.stored(app.example.graph.list.$type)
    const { items, cursor } = takePage(
      readPage(params),
      (page) => lists.muted(ctx.db, ctx.viewer, collection, page),
      (id) => id,
    )
    return { lists: listViews(ctx, items), cursor }
  },
})
