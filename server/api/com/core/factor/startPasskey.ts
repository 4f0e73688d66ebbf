import { com } from '../../../../../lexicons/generated/index.ts'
import { maxFactors, tooManyFactors } from '../../../../identity/factors/factors.ts'
import * as rows from '../../../../platform/store/tables/second-factors.ts'
import { method } from '../../../method.ts'

export const startPasskey = method(com.core.factor.startPasskey, {
  auth: 'full',
  async handler({ auth: { did, account }, store, identity: { loadPasskeys }, fail }) {
    const factors = rows.ofAccount(store, did)
    if (factors.length >= maxFactors) throw fail('TooManyFactors', tooManyFactors)
    const passkeys = await loadPasskeys()
    return { options: await passkeys.creation(account, factors) }
  },
})
