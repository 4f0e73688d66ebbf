import { com } from '../../../../../lexicons/generated/index.ts'
import { requireOther } from '../../../../identity/callers/own-account.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const deleteAccount = method(com.core.admin.deleteAccount, {
  auth: 'admin',
  async handler({ input, auth, fail, operation: { accountDeletion }, store, now }) {
    requireOther(auth.did, input.did)
    const deleted = await store.transact((tx) => {
      const account = accounts.findByDid(tx, input.did)
      if (!account) throw fail('NotFound', 'Account not found')
      accountDeletion.hide(tx, input.did, now())
      return account
    })
    await accountDeletion.finish(deleted)
  },
})
