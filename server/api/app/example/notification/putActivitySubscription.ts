import { app } from '../../../../../lexicons/generated/index.ts'
import * as activitySubscriptions from '../../../../app/tables/activity-subscriptions.ts'
import { statusError } from '../../../../repository/access/status-errors.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const putActivitySubscription = method(app.example.notification.putActivitySubscription, {
  auth: 'access or takendown',
  async handler({ input, auth, store, federation: { actors }, now, fail }) {
    const { subject, activitySubscription } = input
    const { post, reply } = activitySubscription
    // An account can unsubscribe in every state.
    const inactive = post || reply ? statusError(auth.account) : undefined
    if (inactive) throw inactive
    if (subject === auth.did) throw fail('InvalidRequest', 'An account cannot subscribe to itself')
    if (post || reply) store.assertRoom()
    await store.transact((tx) => {
      if (!post && !reply) return activitySubscriptions.remove(tx, auth.did, subject)
      const createdAt = iso(now())
      activitySubscriptions.put(tx, auth.did, {
        subject,
        post: Number(post),
        reply: Number(reply),
        createdAt,
      })
    })
    actors.requestRefresh([subject])
    return { subject, activitySubscription: post || reply ? { post, reply } : undefined }
  },
})
