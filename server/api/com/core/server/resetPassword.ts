import { com } from '../../../../../lexicons/generated/index.ts'
import * as pushRegistrations from '../../../../app/tables/push-registrations.ts'
import { ownerOfToken, spendToken, tokenRefusals } from '../../../../identity/accounts/mail-tokens.ts'
import { changePassword, passwordProblem } from '../../../../identity/accounts/password.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { scopes } from '../../../../identity/auth/scopes.ts'
import * as sessions from '../../../../identity/tables/sessions.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

const purpose = 'resetPassword'

/** Ends the sessions of the account, except the one that calls: clients change the password of a signed-in account this way. */
export const resetPassword = method(com.core.server.resetPassword, {
  auth: 'optional',
  limits: [perFiveMinutes(50, 'address')],
  async handler({ input, auth, caller, fail, identity: { secrets, passwords }, ...platform }) {
    const { store, now } = platform
    const problem = passwordProblem(input.password)
    if (problem) throw fail('InvalidPassword', problem)
    const { token } = input
    if (ownerOfToken(store, secrets, { purpose, token }) === undefined)
      throw fail('InvalidToken', tokenRefusals.InvalidToken)
    const hash = await passwords.hash(input.password, caller.network)
    let account: accounts.Account | undefined
    const verdict = await store.transact((tx) => {
      const did = ownerOfToken(tx, secrets, { purpose, token })
      if (did === undefined) return 'InvalidToken'
      const result = spendToken(tx, secrets, { did, purpose, token, now: now() })
      if (result !== 'good') return result
      account = accounts.findByDid(tx, did)
      changePassword(tx, did, hash)
      sessions.removeOthers(tx, did, auth?.scope === scopes.full ? auth.sessionId : undefined)
      // No list shows them, and a thief may have registered one.
      pushRegistrations.removeOfAccount(tx, did)
      return result
    })
    if (verdict !== 'good') throw fail(verdict, tokenRefusals[verdict])
    if (account) await reportChange(platform, account, 'password', caller)
  },
})
