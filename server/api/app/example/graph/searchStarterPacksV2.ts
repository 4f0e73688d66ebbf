import { app } from '../../../../../lexicons/generated/index.ts'
import { searchStarterPacks as search } from '../../../../app/views/find/starter-pack-search.ts'
import { starterPackView } from '../../../../app/views/show/starter-packs.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const searchStarterPacksV2 = method(app.example.graph.searchStarterPacksV2, {
  auth: 'optional',
  limits: [perFiveMinutes(120, 'account')],
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const { packs, cursor } = search(ctx, params)
    return { starterPacks: packs.map((pack) => starterPackView(ctx, pack)), cursor }
  },
})
