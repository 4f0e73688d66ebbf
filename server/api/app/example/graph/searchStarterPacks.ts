import { app } from '../../../../../lexicons/generated/index.ts'
import { searchStarterPacks as search } from '../../../../app/views/find/starter-pack-search.ts'
import { starterPackViewBasic } from '../../../../app/views/show/starter-packs.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const searchStarterPacks = method(app.example.graph.searchStarterPacks, {
  auth: 'optional',
  limits: [perFiveMinutes(120, 'account')],
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const { packs, cursor } = search(ctx, params)
    return { starterPacks: packs.map((pack) => starterPackViewBasic(ctx, pack)), cursor }
  },
})
