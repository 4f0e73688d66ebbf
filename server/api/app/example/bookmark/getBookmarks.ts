import { app } from '../../../../../lexicons/generated/index.ts'
import * as bookmarks from '../../../../app/tables/bookmarks.ts'
import { takePageBy } from '../../../../app/views/find/pages.ts'
import { actorById } from '../../../../app/views/load/actors.ts'
import type { ViewContext } from '../../../../app/views/load/context.ts'
import { loadPosts, type Post, postAt, postsAt } from '../../../../app/views/load/posts.ts'
import { isBlocked, relationTo } from '../../../../app/views/load/relations.ts'
import { blockedPost, postView } from '../../../../app/views/show/posts.ts'
import { recordUri } from '../../../../repository/records/record-uri.ts'
import { method } from '../../../method.ts'

const { notFoundPost, postView: view } = app.example.feed.defs

export const getBookmarks = method(app.example.bookmark.getBookmarks, {
  auth: 'access',
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth.did)
    const { items, cursor } = takePageBy(
      params,
      (page) => bookmarks.page(ctx.db, ctx.viewer, page),
      ({ id }) => id,
    )
    const found = items.map((bookmark) => ({
      bookmark,
      uri: recordUri(bookmark.did, bookmark.collection, bookmark.rkey),
    }))
    const posts = postsAt(
      ctx,
      found.map(({ uri }) => uri),
    )
    loadPosts(ctx, posts)
    return {
      bookmarks: found.map(({ bookmark: { cid, createdAt }, uri }) => {
        const post = postAt(ctx, uri)
        const item = post ? itemOf(ctx, post) : undefined
        return {
          subject: { uri, cid },
          createdAt,
          item: item ?? notFoundPost.$build({ uri, notFound: true }),
        }
      }),
      cursor,
    }
  },
})

/** Undefined for a post of an inactive account. */
function itemOf(ctx: ViewContext, post: Post) {
  if (!actorById(ctx, post.actor).isActive) return undefined
  if (isBlocked(relationTo(ctx, post.actor))) return blockedPost(ctx, post)
  return view.$build(postView(ctx, post))
}
