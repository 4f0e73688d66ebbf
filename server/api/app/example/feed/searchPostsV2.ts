import { app } from '../../../../../lexicons/generated/index.ts'
import { readQueryV2 } from '../../../../app/views/post-query.ts'
import { searchPage } from '../../../../app/views/post-search.ts'
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
    return searchPage(viewContext(caller.origin, auth?.did), query, params)
  },
})
