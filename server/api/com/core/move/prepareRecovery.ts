import { com } from '../../../../../lexicons/generated/index.ts'
import { planRecovery } from '../../../../identity/accounts/recovery-plan.ts'
import { refuseFirstAccount } from '../../../../identity/accounts/sign-up.ts'
import { requirePublic } from '../../../../operation/moving/start-in.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { requesterOf } from '../../../../util/requester.ts'
import { method } from '../../../method.ts'

export const prepareRecovery = method(com.core.move.prepareRecovery, {
  auth: 'import',
  limits: [perFiveMinutes(30, 'address')],
  async handler({ input, auth, caller, fail, identity, ...platform }) {
    if (caller.isForeignPage) throw fail('Forbidden', 'Pages of other sites cannot recover accounts here')
    refuseFirstAccount(platform.store, caller, auth.isAdmin)
    requirePublic(platform.config)
    const requester = requesterOf(caller, undefined)
    return planRecovery({ ...platform, ...identity }, { ...input, requester })
  },
})
