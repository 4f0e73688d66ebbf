import { app } from '../../../../../lexicons/generated/index.ts'
import * as lists from '../../../../app/tables/lists.ts'
import { hasPurpose, visibleLists } from '../../../../app/views/filter/lists.ts'
import { findActor } from '../../../../app/views/find/named.ts'
import { takePage } from '../../../../app/views/find/pages.ts'
import { listItemViews, listView } from '../../../../app/views/show/lists.ts'
import { method } from '../../../method.ts'

export const getListsWithMembership = method(app.example.graph.getListsWithMembership, {
  auth: 'access',
  handler({ params, auth, caller, names, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth.did)
    const actor = findActor(ctx, params.actor)
    const collection = names.stored(app.example.graph.list.$type)
    const { items, cursor } = takePage(params, (page) =>
      lists.recordsOf(ctx.db, ctx.viewer, collection, page),
    )
    const found = visibleLists(ctx, items).filter((list) => hasPurpose(list, params.purposes))
    const itemOf = lists.memberships(ctx.db, ctx.viewer, actor, collection)
    return {
      listsWithMembership: found.map((list) => {
        const record = itemOf.get(list.id)
        const [listItem] = record === undefined ? [] : listItemViews(ctx, [{ actor, record }])
        return { list: listView(ctx, list), listItem }
      }),
      cursor,
    }
  },
})
