import { app } from '../../../../../lexicons/generated/index.ts'
import { readQuery } from '../../../../app/views/post-query.ts'
import { searchPage } from '../../../../app/views/post-search.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const searchPosts = method(app.example.feed.searchPosts, {
  auth: 'optional',
  // A search takes up to a quarter of a second of the thread that answers everyone: 30 s in 5 min for each caller.
  limits: [perFiveMinutes(120, 'account')],
  async handler({ params, auth, caller, app: { viewContext }, fail }) {
    const query = readQuery(params)
    if (!query) throw fail('BadQueryString', 'since and until must be dates, such as 2030-01-31')
    return searchPage(viewContext(caller.origin, auth?.did), query, params)
  },
})
