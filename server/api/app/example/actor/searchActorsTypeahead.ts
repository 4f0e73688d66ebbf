import { app } from '../../../../../lexicons/generated/index.ts'
import { refuseForeignPage } from '../../../../auth/foreign-page.ts'
import { profileViewBasic } from '../../../../views/profiles.ts'
import { searchActors } from '../../../../views/search.ts'
import { method } from '../../../method.ts'

export const searchActorsTypeahead = method(app.example.actor.searchActorsTypeahead, {
  auth: 'optional',
  handler({ params, auth, caller, config, viewContext }) {
    if (!auth) refuseForeignPage(caller, config)
    const ctx = viewContext(caller.origin, auth?.did)
    const { q, term, limit } = params
    const { ids } = searchActors(ctx, q ?? term ?? '', { offset: 0, limit })
    return { actors: ids.map((id) => profileViewBasic(ctx, id)) }
  },
})
