import { app } from '../../../../../lexicons/generated/index.ts'
import { findRecord } from '../../../../app/views/find/named.ts'
import { generatorView, readGenerator } from '../../../../app/views/show/generators.ts'
import { method } from '../../../method.ts'

export const getFeedGenerator = method(app.example.feed.getFeedGenerator, {
  auth: 'optional',
  handler({ params, auth, caller, app: { viewContext }, fail }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const row = findRecord(ctx, params.feed, app.example.feed.generator.$type)
    const generator = row && readGenerator(ctx, row)
    if (!generator) throw fail('InvalidRequest', 'Feed generator not found')
    // The service that generates the feed is not asked.
    return { view: generatorView(ctx, generator), isOnline: false, isValid: false }
  },
})
