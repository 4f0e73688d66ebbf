import { app } from '../../../../../lexicons/generated/index.ts'
import * as postLinks from '../../../../app/tables/post-links.ts'
import { isPostHidden, isQuoteListed } from '../../../../app/views/filter/posts.ts'
import { linkPage } from '../../../../app/views/find/link-page.ts'
import { viewTables } from '../../../../app/views/load/context.ts'
import { loadPosts, postsById } from '../../../../app/views/load/posts.ts'
import { postView } from '../../../../app/views/show/posts.ts'
import { paths } from '../../../../repository/format/link-paths.ts'
import { method } from '../../../method.ts'

export const getQuotes = method(app.example.feed.getQuotes, {
  auth: 'optional',
  reads: viewTables,
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const { items, ...page } = linkPage(ctx, params, postLinks.linkingRecords, paths.quote)
    const quotes = postsById(ctx, items)
    loadPosts(ctx, quotes)
    const shown = quotes.filter((post) => !isPostHidden(ctx, post) && isQuoteListed(ctx, post))
    return { ...page, posts: shown.map((post) => postView(ctx, post)) }
  },
})
