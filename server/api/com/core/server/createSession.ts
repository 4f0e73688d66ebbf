import { com } from '../../../../../lexicons/generated/index.ts'
import { withEmail } from '../../../../accounts/email.ts'
import { findByIdentifier, normalizeIdentifier } from '../../../../accounts/identifier.ts'
import { mailToken, spendToken, tokenRefusals, type Verdict } from '../../../../accounts/mail-tokens.ts'
import { statusOf, takendownError } from '../../../../accounts/status.ts'
import { scopes } from '../../../../auth/scopes.ts'
import { accountView, type IssuedSession, openSession, signTokens } from '../../../../auth/sessions.ts'
import { daily, perFiveMinutes } from '../../../../config/rate-limits.ts'
import type { Account } from '../../../../store/tables/accounts.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import * as appPasswords from '../../../../store/tables/app-passwords.ts'
import { method } from '../../../method.ts'

type Opened =
  | Exclude<Verdict, 'good'>
  | 'AuthenticationRequired'
  | { current: Account; issued: IssuedSession }

const tried = (input: { identifier: string }, address: string) =>
  `${normalizeIdentifier(input.identifier)} ${address}`
const wrong = 'Wrong identifier or password'

export const createSession = method(com.core.server.createSession, {
  auth: 'none',
  // The address comes first: past its limit no more names are remembered.
  limits: [perFiveMinutes(300, 'address'), perFiveMinutes(30, tried), daily(300, tried)],
  async handler({ input, caller, fail, ...services }) {
    const { store, secrets, passwords, now } = services
    const account = findByIdentifier(store, input.identifier)
    // Without an account the same work is done for nothing: the time of the answer tells nobody which it was.
    const isMain = await passwords.verify(input.password, account?.passwordHash ?? undefined)
    if (!account) throw fail('AuthenticationRequired', wrong)
    const appPasswordHash = secrets.hash('app password', input.password)
    const isTakendown = statusOf(account) === 'takendown'
    if (!isMain && !appPasswords.findByHash(store, account.did, appPasswordHash)) {
      throw fail('AuthenticationRequired', wrong)
    }
    if (isTakendown && !(isMain && input.allowTakendown)) throw takendownError()

    // Clients send the field of their form as it is: empty is absent.
    const token = input.authFactorToken?.trim() ?? ''
    const needsFactor = isMain && account.emailAuthFactor === 1
    const addressee = withEmail(account)
    if (needsFactor && addressee && token === '') {
      await mailToken(services, addressee, 'authFactor')
      throw fail('AuthFactorTokenRequired', 'A code has been sent to the email address of the account')
    }

    // What was true before the password was hashed may not be any more: all of it is checked again where it counts.
    const opened = await store.transact((tx): Opened => {
      const current = accounts.findByDid(tx, account.did)
      const appPassword = isMain ? undefined : appPasswords.findByHash(tx, account.did, appPasswordHash)
      if (!current || current.passwordHash !== account.passwordHash) return 'AuthenticationRequired'
      if (!isMain && !appPassword) return 'AuthenticationRequired'
      if ((statusOf(current) === 'takendown') !== isTakendown) return 'AuthenticationRequired'
      if (needsFactor) {
        const spent = { did: account.did, purpose: 'authFactor', token, now: now() } as const
        const verdict = spendToken(tx, secrets, spent)
        if (verdict !== 'good') return verdict
      }
      const scope = isTakendown ? scopes.takendown : scopeOf(appPassword)
      const appPasswordName = appPassword?.name ?? null
      const opening = { did: account.did, scope, appPasswordName, client: caller.client }
      return { current, issued: openSession(tx, opening, now()) }
    })
    if (opened === 'AuthenticationRequired') throw fail(opened, wrong)
    if (typeof opened === 'string') throw fail(opened, tokenRefusals[opened])
    return {
      ...(await signTokens(services, opened.issued)),
      ...(await accountView(services, opened.current)),
    }
  },
})

function scopeOf(appPassword: { privileged: number } | undefined) {
  if (!appPassword) return scopes.full
  return appPassword.privileged ? scopes.privilegedAppPassword : scopes.appPassword
}
