import { app } from '../../../../../lexicons/generated/index.ts'
import { findActor } from '../../../../app/views/find/named.ts'
import { takePage } from '../../../../app/views/find/pages.ts'
import { profilesAround } from '../../../../app/views/show/actor-lists.ts'
import { profileView } from '../../../../app/views/show/profiles.ts'
import * as graph from '../../../../federation/tables/graph.ts'
import { method } from '../../../method.ts'

export const getKnownFollowers = method(app.example.graph.getKnownFollowers, {
  auth: 'access',
  handler({ params, auth, caller, names, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth.did)
    const subject = findActor(ctx, params.actor)
    const follows = names.stored(app.example.graph.follow.$type)
    const { items, cursor } = takePage(params, (page) =>
      graph.knownFollowers(ctx.db, subject, ctx.viewer, follows, page),
    )
    const followers = profilesAround(ctx, subject, items)
    return { subject: profileView(ctx, subject), followers, cursor }
  },
})
