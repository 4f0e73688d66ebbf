import { app } from '../../../../../lexicons/generated/index.ts'
import { isWebPush, parseSubscription, targetOf } from '../../../../push/subscription.ts'
import * as pushRegistrations from '../../../../store/tables/push-registrations.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

const maxPerAccount = 100

export const registerPush = method(app.example.notification.registerPush, {
  auth: 'access',
  active: true,
  async handler({ input, auth, config, store, now, fail }) {
    const { did } = auth
    if (isWebPush(input) && !parseSubscription(input.token, config.allowPrivateTargets)) {
      throw fail('InvalidRequest', 'token must be a Web Push subscription with an https endpoint and keys')
    }
    await store.transact((tx) => {
      pushRegistrations.insert(tx, { ...input, did, target: targetOf(input), createdAt: iso(now()) })
      if (pushRegistrations.count(tx, did) > maxPerAccount) {
        throw fail('TooManyRegistrations', `The account has ${maxPerAccount} devices. Unregister one first.`)
      }
    })
  },
})
