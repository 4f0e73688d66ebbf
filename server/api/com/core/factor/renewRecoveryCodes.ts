import { com } from '../../../../../lexicons/generated/index.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { renewRecoveryCodes as renew } from '../../../../identity/factors/recovery-codes.ts'
import * as rows from '../../../../identity/tables/second-factors.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const renewRecoveryCodes = method(com.core.factor.renewRecoveryCodes, {
  auth: 'full',
  limits: [hourly(20, 'account')],
  async handler({ input, auth, caller, fail, identity, ...platform }) {
    const { requireProof, secrets } = identity
    const { did, account } = auth
    await requireProof(auth, input, caller.network)
    const recoveryCodes = await platform.store.transact((tx) => {
      if (!rows.exist(tx, did)) throw fail('FactorNotFound', 'The account has no second factor')
      return renew(tx, secrets, did)
    })
    await reportChange(platform, account, 'recoveryCodes', caller)
    return { recoveryCodes }
  },
})
