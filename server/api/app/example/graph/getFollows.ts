import { app } from '../../../../../lexicons/generated/index.ts'
import { findActor } from '../../../../app/views/find/named.ts'
import { takePage } from '../../../../app/views/find/pages.ts'
import { profilesAround } from '../../../../app/views/show/actor-lists.ts'
import { profileView } from '../../../../app/views/show/profiles.ts'
import * as graph from '../../../../federation/tables/graph.ts'
import { linkPaths } from '../../../../repository/format/link-paths.ts'
import { method } from '../../../method.ts'

export const getFollows = method(app.example.graph.getFollows, {
  auth: 'optional',
  handler({ params, auth, caller, names, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const subject = findActor(ctx, params.actor)
    const collection = names.stored(app.example.graph.follow.$type)
    const { items, cursor } = takePage(params, (page) =>
      graph.subjects(ctx.db, subject, { path: linkPaths['graph.follow:subject'], collection }, page),
    )
    const follows = profilesAround(ctx, subject, items)
    return { subject: profileView(ctx, subject), follows, cursor }
  },
})
