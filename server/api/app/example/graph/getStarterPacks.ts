import { app } from '../../../../../lexicons/generated/index.ts'
import { starterPackAt } from '../../../../app/views/find/starter-packs.ts'
import { starterPackViewBasic } from '../../../../app/views/show/starter-packs.ts'
import { method } from '../../../method.ts'

export const getStarterPacks = method(app.example.graph.getStarterPacks, {
  auth: 'optional',
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const found = params.uris.flatMap((uri) => starterPackAt(ctx, uri) ?? [])
    return { starterPacks: found.map((pack) => starterPackViewBasic(ctx, pack)) }
  },
})
