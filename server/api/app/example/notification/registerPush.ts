import { app } from '../../../../../lexicons/generated/index.ts'
import * as pushRegistrations from '../../../../store/push-registrations.ts'
import { iso } from '../../../../time.ts'
import { method } from '../../../method.ts'

const maxPerAccount = 100

export const registerPush = method(app.example.notification.registerPush, {
  auth: 'access',
  active: true,
  async handler({ input, auth, store, now, fail }) {
    await store.transact((tx) => {
      pushRegistrations.insert(tx, auth.did, input, iso(now()))
      if (pushRegistrations.count(tx, auth.did) > maxPerAccount) {
        throw fail('TooManyRegistrations', `Notifications go to ${maxPerAccount} devices at most`)
      }
    })
  },
})
