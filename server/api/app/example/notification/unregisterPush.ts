import { app } from '../../../../../lexicons/generated/index.ts'
import * as pushRegistrations from '../../../../app/tables/push-registrations.ts'
import { method } from '../../../method.ts'

export const unregisterPush = method(app.example.notification.unregisterPush, {
  auth: 'access or takendown',
  async handler({ input, auth, store }) {
    await store.transact((tx) => pushRegistrations.remove(tx, auth.did, input))
  },
})
