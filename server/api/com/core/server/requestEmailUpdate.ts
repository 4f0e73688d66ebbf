import { com } from '../../../../../lexicons/generated/index.ts'
import { requireEmail } from '../../../../identity/accounts/email.ts'
import { mailToken } from '../../../../identity/accounts/mail-tokens.ts'
import { mailLimits } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const requestEmailUpdate = method(com.core.server.requestEmailUpdate, {
  auth: 'full',
  limits: mailLimits,
  async handler({ auth, identity, ...platform }) {
    const account = requireEmail(auth.account)
    await mailToken({ ...platform, ...identity }, account, 'updateEmail')
    return { tokenRequired: true }
  },
})
