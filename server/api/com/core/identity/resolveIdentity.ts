import { com } from '../../../../../lexicons/generated/index.ts'
import { identityOf } from '../../../../federation/actors/resolve-identity.ts'
import { requesterOf } from '../../../../util/requester.ts'
import { method } from '../../../method.ts'

export const resolveIdentity = method(com.core.identity.resolveIdentity, {
  auth: 'optional',
  handler({ params, auth, caller, ...services }) {
    const requester = requesterOf(caller, auth?.did)
    return identityOf(services, params.identifier, { requester, isSignedIn: auth !== undefined })
  },
})
