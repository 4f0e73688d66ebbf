import { app } from '../../../../../lexicons/generated/index.ts'
import { findPushService, UnsupportedService } from '../../../../app/push/push-service.ts'
import { isWebPush, parseSubscription, targetOf } from '../../../../app/push/push-subscription.ts'
import * as pushRegistrations from '../../../../app/tables/push-registrations.ts'
import { UnresolvableDid } from '../../../../identity/did/resolver.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { existingAccount } from '../../../../repository/access/existing.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

const maxPerAccount = 100

export const registerPush = method(app.example.notification.registerPush, {
  auth: 'access',
  active: true,
  // Deliveries cause requests to a server that the client names.
  limits: [hourly(300, 'account')],
  async handler({ input, auth, caller, config, store, identity: { resolveDid }, now, fail }) {
    const { did, sessionId } = auth
    if (isWebPush(input) && !parseSubscription(input.token, config.allowPrivateTargets)) {
      throw fail('InvalidRequest', 'token must be a Web Push subscription with an https endpoint and keys')
    }
    if (!isWebPush(input)) {
      // Reads kept documents only, because this server may be offline. Deliveries resolve the service.
      await findPushService(resolveDid, input.serviceDid, { onlyKept: true }).catch((error: unknown) => {
        if (error instanceof UnsupportedService) throw fail('UnsupportedPushService', error.message)
        if (!(error instanceof UnresolvableDid)) throw error
      })
    }
    await store.transact((tx) => {
      existingAccount(tx, did)
      pushRegistrations.insert(tx, {
        ...input,
        did,
        sessionId,
        target: targetOf(input),
        called: caller.path.replace('/xrpc/', ''),
        createdAt: iso(now()),
      })
      if (pushRegistrations.count(tx, did) > maxPerAccount) {
        throw fail('TooManyRegistrations', `The account has ${maxPerAccount} devices. Unregister one first.`)
      }
    })
  },
})
