import { com } from '../../../../../lexicons/generated/index.ts'
import { requireOther } from '../../../../identity/auth/own-account.ts'
import { removeAllFactors } from '../../../../identity/factors/factors.ts'
import * as accounts from '../../../../platform/store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const removeSecondFactors = method(com.core.admin.removeSecondFactors, {
  auth: 'admin',
  async handler({ input, auth, store, fail }) {
    requireOther(auth.did, input.did)
    await store.transact((tx) => {
      if (!accounts.findByDid(tx, input.did)) throw fail('NotFound', 'Account not found')
      removeAllFactors(tx, input.did)
    })
  },
})
