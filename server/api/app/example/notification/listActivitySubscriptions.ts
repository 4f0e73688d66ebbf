import { app } from '../../../../../lexicons/generated/index.ts'
import * as activitySubscriptions from '../../../../app/tables/activity-subscriptions.ts'
import { loadActors } from '../../../../app/views/load/actors.ts'
import { profileView } from '../../../../app/views/show/profiles.ts'
import * as graph from '../../../../federation/tables/graph.ts'
import { decodeCursor, encodeCursor } from '../../../../platform/xrpc/cursor.ts'
import { method } from '../../../method.ts'

export const listActivitySubscriptions = method(app.example.notification.listActivitySubscriptions, {
  auth: 'access',
  handler({ params, auth, caller, store, app: { viewContext }, fail }) {
    const { limit = 50, cursor } = params
    const key = cursor ? decodeCursor(cursor, 2) : undefined
    if (cursor && !key) throw fail('InvalidRequest', 'Malformed cursor')
    const [createdAt = '', subject = ''] = key ?? []
    const before = key && { createdAt, subject }
    const found = activitySubscriptions.page(store, auth.did, before, limit + 1)
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    const ctx = viewContext(caller.origin, auth.did)
    const actors = graph.actorIds(
      store,
      shown.map((each) => each.subject),
    )
    loadActors(ctx, actors.values())
    return {
      cursor: last && encodeCursor(last.createdAt, last.subject),
      subscriptions: shown.flatMap(({ subject: did, post, reply }) => {
        const actor = actors.get(did)
        if (actor === undefined) return []
        const activitySubscription = { post: post === 1, reply: reply === 1 }
        const { handle, displayName, avatar, labels, createdAt, viewer } = profileView(ctx, actor)
        const shownViewer = { ...viewer, activitySubscription }
        return {
          did,
          handle,
          displayName,
          avatar,
          labels,
          createdAt,
          activitySubscription,
          viewer: shownViewer,
        }
      }),
    }
  },
})
