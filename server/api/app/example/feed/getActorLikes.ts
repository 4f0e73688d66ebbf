import { app } from '../../../../../lexicons/generated/index.ts'
import { feedViewPost, isPostHidden } from '../../../../app/views/feeds.ts'
import { findActor } from '../../../../app/views/find.ts'
import { loadPosts, postsAt } from '../../../../app/views/load-posts.ts'
import { recordPage } from '../../../../app/views/record-page.ts'
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
