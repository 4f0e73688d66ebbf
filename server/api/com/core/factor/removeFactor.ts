import { com } from '../../../../../lexicons/generated/index.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import * as rows from '../../../../identity/tables/second-factors.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const removeFactor = method(com.core.factor.removeFactor, {
  auth: 'full',
  limits: [hourly(20, 'account')],
  async handler({ input, auth, caller, fail, identity: { requireProof }, ...platform }) {
    const { did, account } = auth
    await requireProof(auth, input, caller.network)
    await platform.store.transact((tx) => {
      if (!rows.find(tx, did, input.id)) throw fail('FactorNotFound', 'The account has no such second factor')
      rows.remove(tx, input.id)
      if (!rows.exist(tx, did)) rows.removeAll(tx, did)
    })
    await reportChange(platform, account, 'factorRemoved', caller)
  },
})
