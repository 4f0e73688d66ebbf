import { com } from '../../../../../lexicons/generated/index.ts'
import { isProtectedByMail } from '../../../../identity/accounts/email.ts'
import { issueToken, tokenRefusals } from '../../../../identity/accounts/mail-tokens.ts'
import { requirePlc } from '../../../../identity/accounts/plc-operation.ts'
import { requestFactor, tooManyCodes } from '../../../../identity/factors/challenge.ts'
import { needsFactor, spendFactor } from '../../../../identity/factors/factors.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { protocolError } from '../../../../platform/xrpc/xrpc-errors.ts'
import { existingAccount } from '../../../../repository/access/existing.ts'
import { method } from '../../../method.ts'

const byMail =
  'The account has a confirmed email address. Request the code by email: the password alone is not enough.'

export const createCode = method(com.core.server.createCode, {
  auth: 'full or takendown',
  // Per address: with a limit per account, a stolen session could keep the holder from a new password.
  limits: [hourly(50, 'address')],
  async handler({ input, auth, caller, fail, identity, ...platform }) {
    const { config, store, now } = platform
    const { secrets, requirePassword } = identity
    const { did, account } = auth
    const { purpose } = input
    if (isProtectedByMail(account, config)) throw fail('MailedCodeRequired', byMail)
    if (purpose === 'signPlcOperation') requirePlc(account)
    await requirePassword(auth, input.password, caller.network)
    // Clients send an empty string when the field of their form is empty.
    const token = input.authFactorToken?.trim() ?? ''
    if (token === '' && needsFactor(store, account)) {
      throw fail('AuthFactorTokenRequired', await requestFactor({ ...platform, ...identity }, account))
    }
    const result = await store.transact((tx) => {
      const current = existingAccount(tx, did)
      // The account may have changed since the password was checked.
      if (isProtectedByMail(current, config)) throw fail('MailedCodeRequired', byMail)
      if (current.passwordHash !== account.passwordHash)
        throw protocolError('AuthenticationRequired', 'Wrong password')
      const verdict = needsFactor(tx, current) ? spendFactor(tx, secrets, { did, token, now: now() }) : 'good'
      return verdict === 'good'
        ? { code: issueToken(tx, secrets, { did, purpose, now: now() }) }
        : { verdict }
    })
    if (result.code !== undefined) return { token: result.code }
    if (result.verdict === 'tooMany') throw protocolError('RateLimitExceeded', tooManyCodes)
    throw fail(result.verdict, tokenRefusals[result.verdict])
  },
})
