import { com } from '../../../../../lexicons/generated/index.ts'
import { describeTarget, handleAt } from '../../../../operation/moving/start-out.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const describeServer = method(com.core.move.describeServer, {
  auth: 'full',
  limits: [perFiveMinutes(100, 'account')],
  async handler({ params, auth, ...services }) {
    const { origin, did, domains, inviteRequired } = await describeTarget(services, params.server)
    return {
      server: origin as `${string}:${string}`,
      did,
      handle: handleAt(auth.account.handle, services.config.userDomains, domains),
      availableUserDomains: [...domains],
      inviteCodeRequired: inviteRequired,
    }
  },
})
