import { com } from '../../../../../lexicons/generated/index.ts'
import { removeAllFactors } from '../../../../identity/factors/factors.ts'
import * as accounts from '../../../../platform/store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const removeSecondFactors = method(com.core.admin.removeSecondFactors, {
  auth: 'admin',
  async handler({ input, store, fail }) {
    await store.transact((tx) => {
      if (!accounts.findByDid(tx, input.did)) throw fail('NotFound', 'Account not found')
      removeAllFactors(tx, input.did)
    })
  },
})
