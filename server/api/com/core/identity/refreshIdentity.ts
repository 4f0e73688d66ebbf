import { com } from '../../../../../lexicons/generated/index.ts'
import { identityOf } from '../../../../federation/actors/resolve-identity.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { requesterOf } from '../../../../util/requester.ts'
import { method } from '../../../method.ts'

export const refreshIdentity = method(com.core.identity.refreshIdentity, {
  auth: 'access',
  // Each call may ask the directory.
  limits: [perFiveMinutes(50, 'account')],
  handler({ input, auth, caller, ...services }) {
    const requester = requesterOf(caller, auth.did)
    return identityOf(services, input.identifier, { requester, isSignedIn: true, maxAgeMs: 0 })
  },
})
