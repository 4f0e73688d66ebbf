import { app } from '../../../../../lexicons/generated/index.ts'
import { takePage } from '../../../../app/views/find/pages.ts'
import { activeProfiles } from '../../../../app/views/show/actor-lists.ts'
import * as graph from '../../../../federation/tables/graph.ts'
import { linkPaths } from '../../../../repository/format/link-paths.ts'
import { method } from '../../../method.ts'

export const getBlocks = method(app.example.graph.getBlocks, {
  auth: 'access',
  handler({ params, auth, caller, names, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth.did)
    const collection = names.stored(app.example.graph.block.$type)
    const { items, cursor } = takePage(params, (page) =>
      graph.subjects(ctx.db, ctx.viewer, { path: linkPaths['graph.block:subject'], collection }, page),
    )
    const ids = items.map(({ actor }) => actor)
    return { blocks: activeProfiles(ctx, ids), cursor }
  },
})
