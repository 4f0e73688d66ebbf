import { com } from '../../../../../lexicons/generated/index.ts'
import { deleteAccount as deleteRows } from '../../../../accounts/delete.ts'
import * as accounts from '../../../../store/accounts.ts'
import { method } from '../../../method.ts'

export const deleteAccount = method(com.core.admin.deleteAccount, {
  auth: 'admin',
  async handler({ input, store, fail }) {
    await store.transact((tx) => {
      if (!accounts.findByDid(tx, input.did)) throw fail('NotFound', 'There is no such account')
      deleteRows(tx, input.did)
    })
  },
})
