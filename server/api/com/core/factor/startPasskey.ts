import { com } from '../../../../../lexicons/generated/index.ts'
import { maxFactors, tooManyFactors } from '../../../../identity/factors/factors.ts'
import * as rows from '../../../../identity/tables/second-factors.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const startPasskey = method(com.core.factor.startPasskey, {
  auth: 'full',
  limits: [hourly(50, 'account')],
  async handler({ input, auth, caller, store, identity: { requireProof, loadPasskeys }, fail }) {
    // `addPasskey` needs the challenge that only this response has.
    await requireProof(auth, input, caller.network)
    const { did, account } = auth
    const factors = rows.ofAccount(store, did)
    if (factors.length >= maxFactors) throw fail('TooManyFactors', tooManyFactors)
    const passkeys = await loadPasskeys()
    return { options: await passkeys.creation(account, factors) }
  },
})
