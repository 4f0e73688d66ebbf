import { app } from '../../../../../lexicons/generated/index.ts'
import * as lists from '../../../../app/tables/lists.ts'
import { hasPurpose, visibleLists } from '../../../../app/views/filter/lists.ts'
import { findActor } from '../../../../app/views/find/named.ts'
import { takePage } from '../../../../app/views/find/pages.ts'
import { listView } from '../../../../app/views/show/lists.ts'
import { method } from '../../../method.ts'

export const getLists = method(app.example.graph.getLists, {
  auth: 'optional',
  handler({ params, auth, caller, names, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const actor = findActor(ctx, params.actor)
    const collection = names.stored(app.example.graph.list.$type)
    const { items, cursor } = takePage(params, (page) => lists.recordsOf(ctx.db, actor, collection, page))
    const found = visibleLists(ctx, items).filter((list) => hasPurpose(list, params.purposes))
    return { lists: found.map((list) => listView(ctx, list)), cursor }
  },
})
