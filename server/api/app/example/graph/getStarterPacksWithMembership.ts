import { app } from '../../../../../lexicons/generated/index.ts'
import * as lists from '../../../../app/tables/lists.ts'
import { findActor } from '../../../../app/views/find/named.ts'
import { takePage } from '../../../../app/views/find/pages.ts'
import { starterPacksById } from '../../../../app/views/find/starter-packs.ts'
import { listItemViews } from '../../../../app/views/show/lists.ts'
import { starterPackView } from '../../../../app/views/show/starter-packs.ts'
import { method } from '../../../method.ts'

const { list, starterpack } = app.example.graph

export const getStarterPacksWithMembership = method(app.example.graph.getStarterPacksWithMembership, {
  auth: 'access',
  handler({ params, auth, caller, names, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth.did)
    const actor = findActor(ctx, params.actor)
    const { items, cursor } = takePage(params, (page) =>
      lists.recordsOf(ctx.db, ctx.viewer, names.stored(starterpack.$type), page),
    )
    const itemOf = lists.memberships(ctx.db, ctx.viewer, actor, names.stored(list.$type))
    return {
      starterPacksWithMembership: starterPacksById(ctx, items).map((pack) => {
        const record = pack.list && itemOf.get(pack.list.id)
        const [listItem] = record === undefined ? [] : listItemViews(ctx, [{ actor, record }])
        return { starterPack: starterPackView(ctx, pack), listItem }
      }),
      cursor,
    }
  },
})
