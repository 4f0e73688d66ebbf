import { com } from '../../../../../lexicons/generated/index.ts'
import { findAccount as find } from '../../../../operation/moving/find-account.ts'
import { withPeer } from '../../../../operation/moving/refused.ts'
import { requirePublic } from '../../../../operation/moving/start-in.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const findAccount = method(com.core.move.findAccount, {
  auth: 'none',
  limits: [perFiveMinutes(100, 'address')],
  async handler({ params, caller, fail, config, identity }) {
    if (caller.isForeignPage) throw fail('Forbidden', 'Pages of other sites cannot look accounts up')
    requirePublic(config)
    const { did, handle, server } = await withPeer(() => find({ config, ...identity }, params.identifier))
    return { did, handle, server: server as `${string}:${string}` }
  },
})
