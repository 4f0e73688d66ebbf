import { app } from '../../../../../lexicons/generated/index.ts'
import { namesOf } from '../../../../config/aliases.ts'
import * as feed from '../../../../store/tables/feed.ts'
import { viewTables } from '../../../../views/context.ts'
import { feedPage, isInTimeline, readFeedPage } from '../../../../views/feeds.ts'
import { method } from '../../../method.ts'

export const getTimeline = method(app.example.feed.getTimeline, {
  auth: 'access',
  reads: viewTables,
  handler({ params, auth, caller, viewContext }) {
    const ctx = viewContext(caller.origin, auth.did)
    const names = namesOf(app.example.graph.follow.$type, ctx.aliases)
    return feedPage(ctx, {
      ...readFeedPage(params),
      read: (slice) => feed.timeline(ctx.db, ctx.viewer ?? 0, names, slice),
      shows: (item) => isInTimeline(ctx, item),
    })
  },
})
