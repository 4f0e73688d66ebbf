import { app } from '../../../../../lexicons/generated/index.ts'
import { isPostHidden } from '../../../../app/views/filter/posts.ts'
import { findActor } from '../../../../app/views/find/named.ts'
import { recordPage } from '../../../../app/views/find/record-page.ts'
import { loadPosts, postsAt } from '../../../../app/views/load/posts.ts'
import { feedViewPost } from '../../../../app/views/show/feeds.ts'
import { method } from '../../../method.ts'

const { like } = app.example.feed

export const getActorLikes = method(app.example.feed.getActorLikes, {
  auth: 'access',
  handler({ params, auth, caller, app: { viewContext }, fail }) {
    const ctx = viewContext(caller.origin, auth.did)
    const actor = findActor(ctx, params.actor)
    if (actor !== ctx.viewer) throw fail('InvalidRequest', 'Likes are listed for their author only')
    const { rows, cursor } = recordPage(ctx, actor, like.$type, params)
    const likes = rows.flatMap((row) => ctx.records.read(like.main, row) ?? [])
    const posts = postsAt(
      ctx,
      likes.map(({ value }) => value.subject.uri),
    )
    loadPosts(ctx, posts, true)
    const shown = posts.filter((post) => !isPostHidden(ctx, post))
    return { cursor, feed: shown.map((post) => feedViewPost(ctx, { post })) }
  },
})
