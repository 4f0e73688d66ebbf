import { app } from '../../../../../lexicons/generated/index.ts'
import { readPage, takePage } from '../../../../app/views/pages.ts'
import { suggestedProfiles } from '../../../../app/views/suggestions.ts'
import * as graph from '../../../../platform/store/tables/graph.ts'
import { method } from '../../../method.ts'

export const getSuggestions = method(app.example.actor.getSuggestions, {
  auth: 'optional',
  handler({ params, auth, caller, viewContext }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const { items, cursor } = takePage(
      readPage(params),
      (page) => graph.notFollowed(ctx.db, ctx.viewer, page),
      (id) => id,
    )
    return { actors: suggestedProfiles(ctx, items), cursor }
  },
})
