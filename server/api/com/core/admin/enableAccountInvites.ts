import { com } from '../../../../../lexicons/generated/index.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const enableAccountInvites = method(com.core.admin.enableAccountInvites, {
  auth: 'admin',
  async handler({ input, store, fail }) {
    await store.transact((tx) => {
      if (!accounts.findByDid(tx, input.account)) throw fail('NotFound', 'Account not found')
      accounts.setInvites(tx, input.account, { disabled: false, note: input.note ?? null })
    })
  },
})
