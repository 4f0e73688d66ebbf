import { app } from '../../../../../lexicons/generated/index.ts'
import { readQueryV2 } from '../../../../app/views/find/post-query.ts'
import { searchPage } from '../../../../app/views/find/post-search.ts'
import { postView } from '../../../../app/views/show/posts.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const searchPostsV2 = method(app.example.feed.searchPostsV2, {
  auth: 'optional',
  // As searchPosts.
  limits: [perFiveMinutes(120, 'account')],
  async handler({ params, auth, caller, app: { viewContext }, fail }) {
    const query = readQueryV2(params)
    if (!query) {
      throw fail(
        'BadQueryString',
        'since and until must be dates, such as 2030-01-31, and only one of excludeReplies and repliesOnly is possible',
      )
    }
    const ctx = viewContext(caller.origin, auth?.did)
    const { posts, cursor } = await searchPage(ctx, query, params)
    return { cursor, posts: posts.map((post) => postView(ctx, post)) }
  },
})
