import { app } from '../../../../../lexicons/generated/index.ts'
import { takePage } from '../../../../app/views/find/pages.ts'
import { suggestedProfiles } from '../../../../app/views/show/actor-lists.ts'
import * as graph from '../../../../federation/tables/graph.ts'
import { method } from '../../../method.ts'

export const getSuggestions = method(app.example.actor.getSuggestions, {
  auth: 'optional',
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const { items, cursor } = takePage(params, (page) => graph.notFollowed(ctx.db, ctx.viewer, page))
    return { actors: suggestedProfiles(ctx, items), cursor }
  },
})
