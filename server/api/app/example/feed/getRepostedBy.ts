import { app } from '../../../../../lexicons/generated/index.ts'
import * as postLinks from '../../../../app/tables/post-links.ts'
import { linkPage } from '../../../../app/views/find/link-page.ts'
import { viewTables } from '../../../../app/views/load/context.ts'
import { visibleProfiles } from '../../../../app/views/show/actor-lists.ts'
import { paths } from '../../../../repository/format/link-paths.ts'
import { method } from '../../../method.ts'

export const getRepostedBy = method(app.example.feed.getRepostedBy, {
  auth: 'optional',
  reads: viewTables,
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const { items, ...page } = linkPage(ctx, params, postLinks.linkingActors, paths.repost)
    const actors = items.map(({ actor }) => actor)
    return { ...page, repostedBy: visibleProfiles(ctx, actors) }
  },
})
