import { app } from '../../../../../lexicons/generated/index.ts'
import * as activitySubscriptions from '../../../../platform/store/tables/activity-subscriptions.ts'
import { iso } from '../../../../platform/util/time.ts'
import { method } from '../../../method.ts'

export const putActivitySubscription = method(app.example.notification.putActivitySubscription, {
  auth: 'access',
  active: true,
  async handler({ input, auth, store, federation: { actors }, now, fail }) {
    const { subject, activitySubscription } = input
    const { post, reply } = activitySubscription
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
