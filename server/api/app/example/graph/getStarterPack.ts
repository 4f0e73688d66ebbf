import { app } from '../../../../../lexicons/generated/index.ts'
import { starterPackAt } from '../../../../app/views/find/starter-packs.ts'
import { starterPackView } from '../../../../app/views/show/starter-packs.ts'
import { method } from '../../../method.ts'

export const getStarterPack = method(app.example.graph.getStarterPack, {
  auth: 'optional',
  handler({ params, auth, caller, app: { viewContext }, fail }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const pack = starterPackAt(ctx, params.starterPack)
    if (!pack) throw fail('InvalidRequest', 'Starter pack not found')
    return { starterPack: starterPackView(ctx, pack) }
  },
})
