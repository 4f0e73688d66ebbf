import { app } from '../../../../../lexicons/generated/index.ts'
import { loadRecords, recordAt } from '../../../../app/views/load/posts.ts'
import { generatorViews } from '../../../../app/views/show/generators.ts'
import { method } from '../../../method.ts'

export const getFeedGenerators = method(app.example.feed.getFeedGenerators, {
  auth: 'optional',
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    loadRecords(ctx, params.feeds)
    const rows = params.feeds.flatMap((uri) => recordAt(ctx, uri) ?? [])
    return { feeds: generatorViews(ctx, rows) }
  },
})
