import { com } from '../../../../../lexicons/generated/index.ts'
import * as pushRegistrations from '../../../../app/tables/push-registrations.ts'
import { changePassword, passwordProblem } from '../../../../identity/accounts/password.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { requireOther } from '../../../../identity/callers/own-account.ts'
import * as sessions from '../../../../identity/tables/sessions.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const updateAccountPassword = method(com.core.admin.updateAccountPassword, {
  auth: 'admin',
  async handler({ input, auth, caller, fail, identity: { passwords }, ...platform }) {
    requireOther(auth.did, input.did)
    const problem = passwordProblem(input.password)
    if (problem) throw fail('InvalidPassword', problem)
    const hash = await passwords.hash(input.password, caller.network)
    const account = await platform.store.transact((tx) => {
      const found = accounts.findByDid(tx, input.did)
      if (!found) throw fail('NotFound', 'Account not found')
      changePassword(tx, input.did, hash)
      sessions.removeOfAccount(tx, input.did)
      pushRegistrations.removeOfAccount(tx, input.did)
      return found
    })
    await reportChange(platform, account, 'password', { client: caller.client, isAdmin: true })
  },
})
