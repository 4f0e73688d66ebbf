import { app } from '../../../../../lexicons/generated/index.ts'
import { searchActors as search } from '../../../../app/views/find/actor-search.ts'
import { cursorOf, readNumber } from '../../../../app/views/find/pages.ts'
import { profileView } from '../../../../app/views/show/profiles.ts'
import { method } from '../../../method.ts'

export const searchActors = method(app.example.actor.searchActors, {
  auth: 'optional',
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const { q, term, limit, cursor } = params
    const { ids, next } = search(ctx, q ?? term ?? '', { offset: readNumber(cursor) ?? 0, limit })
    return { actors: ids.map((id) => profileView(ctx, id)), cursor: cursorOf(next) }
  },
})
