import { com } from '../../../../../lexicons/generated/index.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const challengePasskey = method(com.core.factor.challengePasskey, {
  auth: 'none',
  limits: [perFiveMinutes(100, 'address')],
  async handler({ identity: { loadPasskeys } }) {
    const passkeys = await loadPasskeys()
    return { options: await passkeys.request() }
  },
})
