import { app } from '../../../../../lexicons/generated/index.ts'
import { feedCursor, readFeedPage } from '../../../../app/views/feeds.ts'
import { readQuery } from '../../../../app/views/post-query.ts'
import { searchPosts as find, topPosts } from '../../../../app/views/post-search.ts'
import { postView } from '../../../../app/views/posts.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const searchPosts = method(app.example.feed.searchPosts, {
  auth: 'optional',
  // A search takes up to a quarter of a second of the thread that answers everyone: 30 s in 5 min for each caller.
  limits: [perFiveMinutes(120, 'account')],
  async handler({ params, auth, caller, app: { viewContext }, fail }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const query = readQuery(params)
    if (!query) throw fail('BadQueryString', 'since and until must be dates, such as 2030-01-31')
    const { limit, before } = readFeedPage(params)
    if (params.sort === 'top') {
      // The ranking has one page.
      const posts = params.cursor ? [] : await topPosts(ctx, query)
      return { posts: posts.slice(0, limit).map((post) => postView(ctx, post)) }
    }
    const { posts, next } = await find(ctx, query, { before, limit })
    return { cursor: next && feedCursor(next), posts: posts.map((post) => postView(ctx, post)) }
  },
})
