import { com } from '../../../../../lexicons/generated/index.ts'
import { requireEmail } from '../../../../identity/accounts/email.ts'
import { mailToken } from '../../../../identity/accounts/mail-tokens.ts'
import { requirePlc } from '../../../../identity/accounts/plc-operation.ts'
import { mailLimits } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const requestPlcOperationSignature = method(com.core.identity.requestPlcOperationSignature, {
  auth: 'full or takendown',
  limits: mailLimits,
  async handler({ auth, identity, ...platform }) {
    requirePlc(auth.account)
    await mailToken({ ...platform, ...identity }, requireEmail(auth.account), 'signPlcOperation')
  },
})
