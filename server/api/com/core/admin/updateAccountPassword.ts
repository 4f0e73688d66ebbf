import { com } from '../../../../../lexicons/generated/index.ts'
import { passwordProblem } from '../../../../identity/accounts/password.ts'
import { requireOther } from '../../../../identity/auth/own-account.ts'
import * as accounts from '../../../../platform/store/tables/accounts.ts'
import * as sessions from '../../../../platform/store/tables/sessions.ts'
import { method } from '../../../method.ts'

export const updateAccountPassword = method(com.core.admin.updateAccountPassword, {
  auth: 'admin',
  async handler({ input, auth, caller, store, identity: { passwords }, fail }) {
    requireOther(auth.did, input.did)
    const problem = passwordProblem(input.password)
    if (problem) throw fail('InvalidPassword', problem)
    const hash = await passwords.hash(input.password, caller.source)
    await store.transact((tx) => {
      if (!accounts.findByDid(tx, input.did)) throw fail('NotFound', 'Account not found')
      accounts.setPassword(tx, input.did, hash)
      sessions.removeOfAccount(tx, input.did)
    })
  },
})
