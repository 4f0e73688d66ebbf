import { app } from '../../../../../lexicons/generated/index.ts'
import * as feed from '../../../../app/tables/feed.ts'
import { viewTables } from '../../../../app/views/context.ts'
import { feedPage, isInTimeline, readFeedPage } from '../../../../app/views/feeds.ts'
import { method } from '../../../method.ts'

export const getTimeline = method(app.example.feed.getTimeline, {
  auth: 'access',
  reads: viewTables,
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth.did)
    const follows = ctx.names.stored(app.example.graph.follow.$type)
    return feedPage(ctx, {
      ...readFeedPage(params),
      read: (slice) => feed.timeline(ctx.db, ctx.viewer ?? 0, follows, slice),
      shows: (item) => isInTimeline(ctx, item),
    })
  },
})
