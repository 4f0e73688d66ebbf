import { app } from '../../../../../lexicons/generated/index.ts'
import { readPage, takePage } from '../../../../app/views/pages.ts'
import { actorById, loadActors, profileView } from '../../../../app/views/profiles.ts'
import { linkPaths } from '../../../../platform/store/link-paths.ts'
import * as graph from '../../../../platform/store/tables/graph.ts'
import { method } from '../../../method.ts'

export const getBlocks = method(app.example.graph.getBlocks, {
  auth: 'access',
  handler({ params, auth, caller, names, viewContext }) {
    const ctx = viewContext(caller.origin, auth.did)
    const collection = names.stored(app.example.graph.block.$type)
    const { items, cursor } = takePage(
      readPage(params),
      (page) =>
        graph.subjects(ctx.db, ctx.viewer, { path: linkPaths['graph.block:subject'], collection }, page),
      ({ record }) => record,
    )
    const ids = items.map(({ actor }) => actor)
    loadActors(ctx, ids)
    const shown = ids.filter((id) => actorById(ctx, id).isActive)
    return { blocks: shown.map((id) => profileView(ctx, id)), cursor }
  },
})
