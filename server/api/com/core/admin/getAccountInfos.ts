import { com } from '../../../../../lexicons/generated/index.ts'
import { accountView } from '../../../../identity/accounts/admin-view.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const getAccountInfos = method(com.core.admin.getAccountInfos, {
  auth: 'admin',
  handler({ params, store }) {
    const found = [...new Set(params.dids)].map((did) => accounts.findByDid(store, did))
    return {
      infos: found.filter((account) => account !== undefined).map((account) => accountView(store, account)),
    }
  },
})
