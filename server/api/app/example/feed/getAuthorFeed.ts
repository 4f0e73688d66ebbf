import { app } from '../../../../../lexicons/generated/index.ts'
import * as feed from '../../../../app/tables/feed.ts'
import { type FeedItem, isInAuthorFeed, isSelfThread } from '../../../../app/views/filter/feeds.ts'
import { readFeedPage } from '../../../../app/views/find/feed-pages.ts'
import { findActor } from '../../../../app/views/find/named.ts'
import { viewTables } from '../../../../app/views/load/context.ts'
import { relationTo } from '../../../../app/views/load/relations.ts'
import { feedPage, pinnedItem } from '../../../../app/views/show/feeds.ts'
import { method } from '../../../method.ts'

/** The records that each filter of the lexicon reads; unknown filters read all. */
const filters = new Map<string | undefined, feed.AuthorFilter>([
  ['posts_no_replies', 'no replies'],
  ['posts_with_media', 'media'],
  ['posts_with_video', 'video'],
])

export const getAuthorFeed = method(app.example.feed.getAuthorFeed, {
  auth: 'optional',
  reads: viewTables,
  handler({ params, auth, caller, app: { viewContext }, fail }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const actor = findActor(ctx, params.actor)
    const { blocking, blockingByList, blockedBy, blockedByList } = relationTo(ctx, actor)
    if (blocking ?? blockingByList) throw fail('BlockedActor', `You block ${params.actor}`)
    if (blockedBy ?? blockedByList) throw fail('BlockedByActor', `${params.actor} blocks you`)
    const { filter, includePins } = params
    const withThreads = filter === 'posts_and_author_threads'
    const page = readFeedPage(params)
    return feedPage(ctx, {
      ...page,
      first: includePins && page.before === feed.newest ? pinnedItem(ctx, actor) : undefined,
      read: (slice) => feed.entriesBy(ctx.db, actor, filters.get(filter) ?? 'all', slice),
      shows: (item: FeedItem) => isInAuthorFeed(ctx, item) && (!withThreads || isSelfThread(ctx, item)),
    })
  },
})
