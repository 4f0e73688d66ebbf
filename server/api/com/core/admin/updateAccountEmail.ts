import { com } from '../../../../../lexicons/generated/index.ts'
import { changeEmail, normalizeEmail, requireFreeEmail } from '../../../../identity/accounts/email.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { requireOther } from '../../../../identity/callers/own-account.ts'
import { findByIdentifier } from '../../../../repository/access/identifier.ts'
import { method } from '../../../method.ts'

export const updateAccountEmail = method(com.core.admin.updateAccountEmail, {
  auth: 'admin',
  async handler({ input, auth, caller, fail, ...platform }) {
    const email = normalizeEmail(input.email)
    const before = await platform.store.transact((tx) => {
      const account = findByIdentifier(tx, input.account)
      if (!account) throw fail('NotFound', 'Account not found')
      requireOther(auth.did, account.did)
      requireFreeEmail(tx, account.did, email)
      if (email === account.email) return undefined
      changeEmail(tx, account.did, email)
      return account
    })
    if (before) await reportChange(platform, before, 'email', { client: caller.client, isAdmin: true })
  },
})
