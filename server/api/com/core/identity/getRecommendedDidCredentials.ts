import { com } from '../../../../../lexicons/generated/index.ts'
import { recommendedState } from '../../../../identity/accounts/plc-operation.ts'
import { method } from '../../../method.ts'

export const getRecommendedDidCredentials = method(com.core.identity.getRecommendedDidCredentials, {
  auth: 'access or takendown',
  handler({ auth: { account }, identity: { secrets }, plcOrigin }) {
    const rotationKeys = account.did.startsWith('did:plc:') ? [secrets.rotationKey.did] : undefined
    return { ...recommendedState(account, plcOrigin), rotationKeys }
  },
})
