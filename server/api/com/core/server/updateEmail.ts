import { com } from '../../../../../lexicons/generated/index.ts'
import { changeEmail, normalizeEmail, requireFreeEmail } from '../../../../identity/accounts/email.ts'
import { spendToken, tokenRefusals } from '../../../../identity/accounts/mail-tokens.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import type { SecurityChange } from '../../../../platform/mail/templates.ts'
import { existingAccount } from '../../../../repository/access/existing.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const updateEmail = method(com.core.server.updateEmail, {
  auth: 'full',
  limits: [hourly(50, 'account')],
  async handler({ input, auth, caller, fail, identity: { secrets, requirePassword }, ...platform }) {
    const { store, now } = platform
    const { did } = auth
    const email = normalizeEmail(input.email)
    // Clients send an empty string when the field of their form is empty.
    const token = input.token?.trim() ?? ''
    const { password } = input
    if (password !== undefined) await requirePassword(auth, password, caller.network)
    let changed: { readonly before: accounts.Account; readonly change: SecurityChange } | undefined
    const verdict = await store.transact((tx) => {
      const account = existingAccount(tx, did)
      const isNew = email !== account.email
      const isConfirmed = account.emailConfirmedAt !== null
      if (input.emailAuthFactor && (isNew || !isConfirmed)) {
        throw fail('InvalidRequest', 'Confirm the email address before you turn on the second factor')
      }
      requireFreeEmail(tx, did, email)
      // A code to a confirmed address is more than the password, which may be stolen: it turns second factors off.
      const isPasswordEnough = !isConfirmed || input.emailAuthFactor === true
      if (password === undefined || !isPasswordEnough) {
        if (account.email === null)
          throw fail(
            'AuthenticationRequired',
            'Send the main password: the account has no address for a token',
          )
        if (token === '') throw fail('TokenRequired', 'Request a token with requestEmailUpdate')
        const spent = { did, purpose: 'updateEmail', token, now: now() } as const
        const result = spendToken(tx, secrets, spent)
        if (result !== 'good') return result
      }
      if (isNew) {
        changeEmail(tx, did, email)
        changed = { before: account, change: 'email' }
      } else if (input.emailAuthFactor !== undefined) {
        accounts.setEmailAuthFactor(tx, did, input.emailAuthFactor)
        changed = { before: account, change: input.emailAuthFactor ? 'emailFactorOn' : 'emailFactorOff' }
      }
      return 'good'
    })
    if (verdict !== 'good') throw fail(verdict, tokenRefusals[verdict])
    if (changed) await reportChange(platform, changed.before, changed.change, caller)
  },
})
