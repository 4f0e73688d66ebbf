import { com } from '../../../../../lexicons/generated/index.ts'
import { documentOf } from '../../../../federation/actors/resolve-identity.ts'
import { requesterOf } from '../../../../util/requester.ts'
import { method } from '../../../method.ts'

export const resolveDid = method(com.core.identity.resolveDid, {
  auth: 'optional',
  async handler({ params, auth, caller, ...services }) {
    const requester = requesterOf(caller, auth?.did)
    return { didDoc: await documentOf(services, params.did, { requester, isSignedIn: auth !== undefined }) }
  },
})
