import { com } from '../../../../../lexicons/generated/index.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { requireOther } from '../../../../identity/callers/own-account.ts'
import { removeAllFactors } from '../../../../identity/factors/factors.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const removeSecondFactors = method(com.core.admin.removeSecondFactors, {
  auth: 'admin',
  async handler({ input, auth, caller, fail, ...platform }) {
    requireOther(auth.did, input.did)
    const account = await platform.store.transact((tx) => {
      const found = accounts.findByDid(tx, input.did)
      if (!found) throw fail('NotFound', 'Account not found')
      removeAllFactors(tx, input.did)
      return found
    })
    await reportChange(platform, account, 'factorRemoved', { client: caller.client, isAdmin: true })
  },
})
