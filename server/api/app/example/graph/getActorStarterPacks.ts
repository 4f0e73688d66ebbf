import { app } from '../../../../../lexicons/generated/index.ts'
import * as lists from '../../../../app/tables/lists.ts'
import { findActor } from '../../../../app/views/find/named.ts'
import { takePage } from '../../../../app/views/find/pages.ts'
import { starterPacksById } from '../../../../app/views/find/starter-packs.ts'
import { starterPackViewBasic } from '../../../../app/views/show/starter-packs.ts'
import { method } from '../../../method.ts'

export const getActorStarterPacks = method(app.example.graph.getActorStarterPacks, {
  auth: 'optional',
  handler({ params, auth, caller, names, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const actor = findActor(ctx, params.actor)
    const collection = names.stored(app.example.graph.starterpack.$type)
    const { items, cursor } = takePage(params, (page) => lists.recordsOf(ctx.db, actor, collection, page))
    const found = starterPacksById(ctx, items)
    return { starterPacks: found.map((pack) => starterPackViewBasic(ctx, pack)), cursor }
  },
})
