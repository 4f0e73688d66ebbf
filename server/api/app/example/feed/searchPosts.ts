import { app } from '../../../../../lexicons/generated/index.ts'
import { readQuery } from '../../../../app/views/find/post-query.ts'
import { searchPage } from '../../../../app/views/find/post-search.ts'
import { postView } from '../../../../app/views/show/posts.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const searchPosts = method(app.example.feed.searchPosts, {
  auth: 'optional',
  // A search takes up to a quarter of a second of the thread that answers everyone: 30 s in 5 min for each caller.
  limits: [perFiveMinutes(120, 'account')],
  async handler({ params, auth, caller, app: { viewContext }, fail }) {
    const query = readQuery(params)
    if (!query) throw fail('BadQueryString', 'since and until must be dates, such as 2030-01-31')
    const ctx = viewContext(caller.origin, auth?.did)
    const { posts, cursor } = await searchPage(ctx, query, params)
    return { cursor, posts: posts.map((post) => postView(ctx, post)) }
  },
})
