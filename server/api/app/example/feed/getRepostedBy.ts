import { app } from '../../../../../lexicons/generated/index.ts'
import * as postLinks from '../../../../app/tables/post-links.ts'
import { takePage } from '../../../../app/views/find/pages.ts'
import { viewTables } from '../../../../app/views/load/context.ts'
import { subjectIdOf } from '../../../../app/views/load/posts.ts'
import { visibleProfiles } from '../../../../app/views/show/actor-lists.ts'
import { paths } from '../../../../repository/format/link-paths.ts'
import { method } from '../../../method.ts'

export const getRepostedBy = method(app.example.feed.getRepostedBy, {
  auth: 'optional',
  reads: viewTables,
  handler({ params, auth, caller, app: { viewContext } }) {
    const { uri, cid } = params
    const ctx = viewContext(caller.origin, auth?.did)
    const subject = subjectIdOf(ctx, uri)
    const { items, cursor } = takePage(params, (page) =>
      postLinks.linkingActors(ctx.db, subject, { ...page, path: paths.repost }),
    )
    const actors = items.map(({ actor }) => actor)
    return { uri, cid, cursor, repostedBy: visibleProfiles(ctx, actors) }
  },
})
