import { com } from '../../../../../lexicons/generated/index.ts'
import { normalizeEmail } from '../../../../identity/accounts/email.ts'
import { spendToken, tokenRefusals } from '../../../../identity/accounts/mail-tokens.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const confirmEmail = method(com.core.server.confirmEmail, {
  auth: 'access',
  async handler({ input, auth, store, identity: { secrets }, now, fail }) {
    if (normalizeEmail(input.email) !== auth.account.email) {
      throw fail('InvalidEmail', 'This is not the email address of the account')
    }
    const verdict = await store.transact((tx) => {
      const spent = { did: auth.did, purpose: 'confirmEmail', token: input.token, now: now() } as const
      const result = spendToken(tx, secrets, spent)
      if (result === 'good') accounts.confirmEmail(tx, auth.did, iso(now()))
      return result
    })
    if (verdict !== 'good') throw fail(verdict, tokenRefusals[verdict])
  },
})
