import { com } from '../../../../../lexicons/generated/index.ts'
import { accountView } from '../../../../identity/accounts/admin-view.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const getAccountInfo = method(com.core.admin.getAccountInfo, {
  auth: 'admin',
  handler({ params, store, fail }) {
    const account = accounts.findByDid(store, params.did)
    if (!account) throw fail('NotFound', 'Account not found')
    return accountView(store, account)
  },
})
