import { com } from '../../../../../lexicons/generated/index.ts'
import { deleteAccount as deleteRows, finishDeletion } from '../../../../identity/accounts/delete.ts'
import { requireOther } from '../../../../identity/callers/own-account.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const deleteAccount = method(com.core.admin.deleteAccount, {
  auth: 'admin',
  async handler({ input, auth, fail, repository, ...platform }) {
    requireOther(auth.did, input.did)
    const deleted = await platform.store.transact((tx) => {
      const account = accounts.findByDid(tx, input.did)
      if (!account) throw fail('NotFound', 'Account not found')
      deleteRows(tx, input.did, platform.now())
      return account
    })
    await finishDeletion({ ...platform, ...repository }, deleted)
  },
})
