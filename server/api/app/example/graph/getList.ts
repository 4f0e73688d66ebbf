import { app } from '../../../../../lexicons/generated/index.ts'
import * as lists from '../../../../app/tables/lists.ts'
import { findRecord } from '../../../../app/views/find/named.ts'
import { takePage } from '../../../../app/views/find/pages.ts'
import { listItemViews, listViews } from '../../../../app/views/show/lists.ts'
import { method } from '../../../method.ts'

export const getList = method(app.example.graph.getList, {
  auth: 'optional',
  handler({ params, auth, caller, app: { viewContext }, fail }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const row = findRecord(ctx, params.list, app.example.graph.list.$type)
    const [list] = row ? listViews(ctx, [row.id]) : []
    if (!row || !list) throw fail('InvalidRequest', 'List not found')
    const { items, cursor } = takePage(params, (page) => lists.members(ctx.db, row.id, page))
    return { list, items: listItemViews(ctx, items), cursor }
  },
})
