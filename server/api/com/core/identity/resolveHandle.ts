import { com } from '../../../../../lexicons/generated/index.ts'
import { didOfHandle } from '../../../../federation/actors/resolve-identity.ts'
import { requesterOf } from '../../../../util/requester.ts'
import { method } from '../../../method.ts'

export const resolveHandle = method(com.core.identity.resolveHandle, {
  auth: 'reader',
  async handler({ params, auth, caller, ...services }) {
    const requester = requesterOf(caller, auth?.did)
    return { did: await didOfHandle(services, params.handle, { requester, isSignedIn: auth !== undefined }) }
  },
})
