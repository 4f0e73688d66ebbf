import { com } from '../../../../../lexicons/generated/index.ts'
import { describeTarget, handleAt } from '../../../../operation/moving/start-out.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const describeServer = method(com.core.move.describeServer, {
  auth: 'full or takendown',
  limits: [perFiveMinutes(100, 'account')],
  async handler({ params, auth, config, origin: here, operation: { moves } }) {
    const target = await describeTarget({ config, moves, origin: here }, params.server)
    const { origin, did, domains, inviteRequired } = target
    return {
      server: origin as `${string}:${string}`,
      did,
      handle: handleAt(auth.account.handle, config.userDomains, domains),
      availableUserDomains: [...domains],
      inviteCodeRequired: inviteRequired,
    }
  },
})
