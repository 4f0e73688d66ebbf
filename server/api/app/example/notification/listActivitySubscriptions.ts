import { app } from '../../../../../lexicons/generated/index.ts'
import { profileOf } from '../../../../records/profiles.ts'
import * as activitySubscriptions from '../../../../store/tables/activity-subscriptions.ts'
import { decodeCursor, encodeCursor } from '../../../../xrpc/cursor.ts'
import { method } from '../../../method.ts'

export const listActivitySubscriptions = method(app.example.notification.listActivitySubscriptions, {
  auth: 'access',
  handler({ params, auth, store, config, fail }) {
    const { limit = 50, cursor } = params
    const key = cursor === undefined ? undefined : decodeCursor(cursor, 2)
    if (cursor !== undefined && !key) throw fail('InvalidRequest', 'Malformed cursor')
    const [createdAt = '', subject = ''] = key ?? []
    const before = key && { createdAt, subject }
    const found = activitySubscriptions.page(store, auth.did, before, limit + 1)
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    return {
      cursor: last && encodeCursor(last.createdAt, last.subject),
      subscriptions: shown.map(({ subject: did, post, reply }) => {
        const { handle, displayName } = profileOf(store, config.aliases, did)
        const activitySubscription = { post: post === 1, reply: reply === 1 }
        return { did, handle, displayName, activitySubscription, viewer: { activitySubscription } }
      }),
    }
  },
})
