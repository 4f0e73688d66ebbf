import { app } from '../../../../../lexicons/generated/index.ts'
import * as feed from '../../../../app/tables/feed.ts'
import { isInListFeed } from '../../../../app/views/filter/feeds.ts'
import { readFeedPage } from '../../../../app/views/find/feed-pages.ts'
import { findRecord } from '../../../../app/views/find/named.ts'
import { viewTables } from '../../../../app/views/load/context.ts'
import { subjectIdOf } from '../../../../app/views/load/posts.ts'
import { feedPage } from '../../../../app/views/show/feeds.ts'
import { method } from '../../../method.ts'

export const getListFeed = method(app.example.feed.getListFeed, {
  auth: 'optional',
  reads: viewTables,
  handler({ params, auth, caller, app: { viewContext }, fail }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const list = findRecord(ctx, params.list, app.example.graph.list.$type)
    if (!list) throw fail('UnknownList', 'List not found')
    const subject = subjectIdOf(ctx, params.list)
    return feedPage(ctx, {
      ...readFeedPage(params),
      read: (slice) => feed.entriesOfList(ctx.db, subject, list.actor, ctx.viewer, slice),
      shows: (item) => isInListFeed(ctx, item),
    })
  },
})
