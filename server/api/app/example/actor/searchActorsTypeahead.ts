import { app } from '../../../../../lexicons/generated/index.ts'
import { searchActors } from '../../../../app/views/find/actor-search.ts'
import { profileViewBasic } from '../../../../app/views/show/profiles.ts'
import { method } from '../../../method.ts'

export const searchActorsTypeahead = method(app.example.actor.searchActorsTypeahead, {
  auth: 'optional',
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const { q, term, limit } = params
    const { ids } = searchActors(ctx, q ?? term ?? '', { offset: 0, limit })
    return { actors: ids.map((id) => profileViewBasic(ctx, id)) }
  },
})
