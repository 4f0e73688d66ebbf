import { app } from '../../../../../lexicons/generated/index.ts'
import * as feed from '../../../../app/tables/feed.ts'
import { isInTimeline } from '../../../../app/views/filter/feeds.ts'
import { readFeedPage } from '../../../../app/views/find/feed-pages.ts'
import { viewTables } from '../../../../app/views/load/context.ts'
import { feedPage } from '../../../../app/views/show/feeds.ts'
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
