import { app } from '../../../../../lexicons/generated/index.ts'
import { profilesAround } from '../../../../app/views/actor-lists.ts'
import { findActor } from '../../../../app/views/find.ts'
import { takePage } from '../../../../app/views/pages.ts'
import { profileView } from '../../../../app/views/profiles.ts'
import * as graph from '../../../../federation/tables/graph.ts'
import { method } from '../../../method.ts'

export const getFollowers = method(app.example.graph.getFollowers, {
  auth: 'optional',
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const subject = findActor(ctx, params.actor)
    const { items, cursor } = takePage(params, (page) => graph.followers(ctx.db, subject, page))
    const followers = profilesAround(ctx, subject, items)
    return { subject: profileView(ctx, subject), followers, cursor }
  },
})
