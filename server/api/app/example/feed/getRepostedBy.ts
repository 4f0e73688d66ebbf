import { app } from '../../../../../lexicons/generated/index.ts'
import { viewTables } from '../../../../app/views/context.ts'
import { subjectIdOf } from '../../../../app/views/load-posts.ts'
import { readPage, takePage } from '../../../../app/views/pages.ts'
import { isHidden, loadActors, profileView } from '../../../../app/views/profiles.ts'
import { paths } from '../../../../platform/store/link-paths.ts'
import * as postLinks from '../../../../platform/store/tables/post-links.ts'
import { method } from '../../../method.ts'

export const getRepostedBy = method(app.example.feed.getRepostedBy, {
  auth: 'optional',
  reads: viewTables,
  handler({ params, auth, caller, viewContext }) {
    const { uri, cid } = params
    const ctx = viewContext(caller.origin, auth?.did)
    const subject = subjectIdOf(ctx, uri)
    const { items, cursor } = takePage(
      readPage(params),
      (page) => postLinks.linkingActors(ctx.db, subject, { ...page, path: paths.repost }),
      ({ record }) => record,
    )
    const actors = items.map(({ actor }) => actor)
    loadActors(ctx, actors)
    const shown = actors.filter((actor) => !isHidden(ctx, actor))
    return { uri, cid, cursor, repostedBy: shown.map((actor) => profileView(ctx, actor)) }
  },
})
