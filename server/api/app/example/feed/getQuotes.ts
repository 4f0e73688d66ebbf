import { app } from '../../../../../lexicons/generated/index.ts'
import * as postLinks from '../../../../app/tables/post-links.ts'
import { isPostHidden, isQuoteListed } from '../../../../app/views/filter/posts.ts'
import { takePage } from '../../../../app/views/find/pages.ts'
import { viewTables } from '../../../../app/views/load/context.ts'
import { loadPosts, postsById, subjectIdOf } from '../../../../app/views/load/posts.ts'
import { postView } from '../../../../app/views/show/posts.ts'
import { paths } from '../../../../repository/format/link-paths.ts'
import { method } from '../../../method.ts'

export const getQuotes = method(app.example.feed.getQuotes, {
  auth: 'optional',
  reads: viewTables,
  handler({ params, auth, caller, app: { viewContext } }) {
    const { uri, cid } = params
    const ctx = viewContext(caller.origin, auth?.did)
    const subject = subjectIdOf(ctx, uri)
    const { items, cursor } = takePage(params, (page) =>
      postLinks.linkingRecords(ctx.db, subject, { ...page, path: paths.quote }),
    )
    const quotes = postsById(ctx, items)
    loadPosts(ctx, quotes)
    const shown = quotes.filter((post) => !isPostHidden(ctx, post) && isQuoteListed(ctx, post))
    return { uri, cid, cursor, posts: shown.map((post) => postView(ctx, post)) }
  },
})
