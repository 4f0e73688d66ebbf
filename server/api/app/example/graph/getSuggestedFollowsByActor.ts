import { app } from '../../../../../lexicons/generated/index.ts'
import { findActor } from '../../../../app/views/find/named.ts'
import { suggestedProfiles } from '../../../../app/views/show/actor-lists.ts'
import * as graph from '../../../../federation/tables/graph.ts'
import { method } from '../../../method.ts'

/** Number of suggestions. */
const limit = 10

export const getSuggestedFollowsByActor = method(app.example.graph.getSuggestedFollowsByActor, {
  auth: 'access',
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth.did)
    const actor = findActor(ctx, params.actor)
    const ids = graph.notFollowed(ctx.db, ctx.viewer, { limit }).filter((id) => id !== actor)
    return { suggestions: suggestedProfiles(ctx, ids), isFallback: true }
  },
})
