import { app } from '../../../../../lexicons/generated/index.ts'
import { suggestedProfiles } from '../../../../app/views/actor-lists.ts'
import * as graph from '../../../../platform/store/tables/graph.ts'
import { method } from '../../../method.ts'

/** Suggests the same accounts for all categories. */
export const getSuggestedUsers = method(app.example.unspecced.getSuggestedUsers, {
  auth: 'access',
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth.did)
    const { limit } = params
    return { actors: suggestedProfiles(ctx, graph.notFollowed(ctx.db, ctx.viewer, { limit })) }
  },
})
