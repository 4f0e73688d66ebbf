import { com } from '../../../../../lexicons/generated/index.ts'
import { changeEmail, normalizeEmail, requireFreeEmail } from '../../../../identity/accounts/email.ts'
import { spendToken, tokenRefusals } from '../../../../identity/accounts/mail-tokens.ts'
import * as accounts from '../../../../platform/store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const updateEmail = method(com.core.server.updateEmail, {
  auth: 'full',
  async handler({ input, auth, store, identity: { secrets }, now, fail }) {
    const { did } = auth
    const email = normalizeEmail(input.email)
    // Clients send an empty string when the field of their form is empty.
    const token = input.token?.trim() ?? ''
    const verdict = await store.transact((tx) => {
      const account = accounts.findByDid(tx, did)
      if (!account) throw fail('AccountNotFound')
      const isNew = email !== account.email
      const isConfirmed = account.emailConfirmedAt !== null
      if (input.emailAuthFactor && (isNew || !isConfirmed)) {
        throw fail('InvalidRequest', 'Confirm the email address before you turn on the second factor')
      }
      requireFreeEmail(tx, did, email)
      // An intruder gains nothing by turning it on; to turn it off takes a token.
      const isTurnedOn = input.emailAuthFactor === true && token === ''
      if (isConfirmed && !isTurnedOn) {
        if (token === '') throw fail('TokenRequired', 'Request a token with requestEmailUpdate')
        const spent = { did, purpose: 'updateEmail', token, now: now() } as const
        const result = spendToken(tx, secrets, spent)
        if (result !== 'good') return result
      }
      if (isNew) changeEmail(tx, did, email)
      else if (input.emailAuthFactor !== undefined) {
        accounts.setEmailAuthFactor(tx, did, input.emailAuthFactor)
      }
      return 'good'
    })
    if (verdict !== 'good') throw fail(verdict, tokenRefusals[verdict])
  },
})
