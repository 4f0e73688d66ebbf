import { app } from '../../../../../lexicons/generated/index.ts'
import { findActor } from '../../../../app/views/find/named.ts'
import { recordPage } from '../../../../app/views/find/record-page.ts'
import { generatorViews } from '../../../../app/views/show/generators.ts'
import { method } from '../../../method.ts'

export const getActorFeeds = method(app.example.feed.getActorFeeds, {
  auth: 'optional',
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const actor = findActor(ctx, params.actor)
    const { rows, cursor } = recordPage(ctx, actor, app.example.feed.generator.$type, params)
    return { cursor, feeds: generatorViews(ctx, rows) }
  },
})
