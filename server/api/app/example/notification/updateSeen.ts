import { app } from '../../../../../lexicons/generated/index.ts'
import { correctArrivals } from '../../../../app/notifications/arrival.ts'
import { seenMarker } from '../../../../app/notifications/seen-marker.ts'
import { setSeenAt } from '../../../../app/tables/notifications.ts'
import { method } from '../../../method.ts'

export const updateSeen = method(app.example.notification.updateSeen, {
  auth: 'access or takendown',
  async handler({ input, auth, store, now }) {
    const seenAt = seenMarker(input.seenAt)
    const at = now().getTime()
    await store.transact((tx) => {
      correctArrivals(tx, at)
      setSeenAt(tx, auth.did, seenAt, at)
    })
  },
})
