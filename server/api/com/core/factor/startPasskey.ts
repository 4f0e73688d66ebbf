import { com } from '../../../../../lexicons/generated/index.ts'
import { requirePassword } from '../../../../identity/auth/own-account.ts'
import { maxFactors, tooManyFactors } from '../../../../identity/factors/factors.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import * as rows from '../../../../platform/store/tables/second-factors.ts'
import { method } from '../../../method.ts'

export const startPasskey = method(com.core.factor.startPasskey, {
  auth: 'full',
  limits: [hourly(50, 'account')],
  async handler({
    input,
    auth: { did, account },
    caller,
    store,
    identity: { passwords, loadPasskeys },
    fail,
  }) {
    // `addPasskey` needs the challenge that only this response has.
    await requirePassword(passwords, account, input.password, caller.source)
    const factors = rows.ofAccount(store, did)
    if (factors.length >= maxFactors) throw fail('TooManyFactors', tooManyFactors)
    const passkeys = await loadPasskeys()
    return { options: await passkeys.creation(account, factors) }
  },
})
