import { app } from '../../../../../lexicons/generated/index.ts'
import * as postLinks from '../../../../app/tables/post-links.ts'
import * as viewRecords from '../../../../app/tables/view-records.ts'
import { isHidden } from '../../../../app/views/filter/actors.ts'
import { linkPage } from '../../../../app/views/find/link-page.ts'
import { loadActorsOf } from '../../../../app/views/load/actors.ts'
import { viewTables } from '../../../../app/views/load/context.ts'
import { profileView } from '../../../../app/views/show/profiles.ts'
import { paths } from '../../../../repository/format/link-paths.ts'
import { method } from '../../../method.ts'

export const getLikes = method(app.example.feed.getLikes, {
  auth: 'optional',
  reads: viewTables,
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const { items, ...page } = linkPage(ctx, params, postLinks.linkingActors, paths.like)
    loadActorsOf(ctx, items)
    const records = viewRecords.recordsById(
      ctx.db,
      items.map(({ record }) => record),
    )
    const likes = records.flatMap((row) => ctx.records.read(app.example.feed.like.main, row) ?? [])
    return {
      ...page,
      likes: likes
        .filter(({ actor }) => !isHidden(ctx, actor))
        .map(({ actor, indexedAt, value }) => ({
          actor: profileView(ctx, actor),
          createdAt: value.createdAt,
          indexedAt,
        })),
    }
  },
})
