import { app } from '../../../../../lexicons/generated/index.ts'
import { seenMarker } from '../../../../notifications/seen.ts'
import { setSeenAt } from '../../../../store/tables/notifications.ts'
import { method } from '../../../method.ts'

export const updateSeen = method(app.example.notification.updateSeen, {
  auth: 'access',
  active: true,
  async handler({ input, auth, store }) {
    const seenAt = seenMarker(input.seenAt)
    await store.transact((tx) => setSeenAt(tx, auth.did, seenAt))
  },
})
