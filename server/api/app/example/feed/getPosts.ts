import { app } from '../../../../../lexicons/generated/index.ts'
import { isPostHidden } from '../../../../app/views/filter/posts.ts'
import { viewTables } from '../../../../app/views/load/context.ts'
import { loadPosts, postsAt } from '../../../../app/views/load/posts.ts'
import { postView } from '../../../../app/views/show/posts.ts'
import { method } from '../../../method.ts'

export const getPosts = method(app.example.feed.getPosts, {
  auth: 'optional',
  reads: viewTables,
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const posts = postsAt(ctx, params.uris)
    loadPosts(ctx, posts)
    const shown = posts.filter((post) => !isPostHidden(ctx, post))
    return { posts: shown.map((post) => postView(ctx, post)) }
  },
})
