import { com } from '../../../../../lexicons/generated/index.ts'
import { changeEmail, normalizeEmail, requireFreeEmail } from '../../../../identity/accounts/email.ts'
import { requireOther } from '../../../../identity/auth/own-account.ts'
import { findByIdentifier } from '../../../../repository/access/identifier.ts'
import { method } from '../../../method.ts'

export const updateAccountEmail = method(com.core.admin.updateAccountEmail, {
  auth: 'admin',
  async handler({ input, auth, store, fail }) {
    const email = normalizeEmail(input.email)
    await store.transact((tx) => {
      const account = findByIdentifier(tx, input.account)
      if (!account) throw fail('NotFound', 'Account not found')
      requireOther(auth.did, account.did)
      requireFreeEmail(tx, account.did, email)
      if (email !== account.email) changeEmail(tx, account.did, email)
    })
  },
})
