import { com } from '../../../../../lexicons/generated/index.ts'
import { tokenRefusals, type Verdict } from '../../../../identity/accounts/mail-tokens.ts'
import { appPasswordFinder } from '../../../../identity/auth/app-passwords.ts'
import { scopes } from '../../../../identity/auth/scopes.ts'
import {
  accountView,
  type IssuedSession,
  openSession,
  signTokens,
} from '../../../../identity/auth/sessions.ts'
import { requestFactor, tooManyCodes } from '../../../../identity/factors/challenge.ts'
import { needsFactor, spendFactor } from '../../../../identity/factors/factors.ts'
import type { Identity } from '../../../../identity/identity.ts'
import { daily, perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { protocolError } from '../../../../platform/xrpc/xrpc-errors.ts'
import { findByIdentifier, normalizeIdentifier } from '../../../../repository/access/identifier.ts'
import { takendownError } from '../../../../repository/access/status-errors.ts'
import { statusOf } from '../../../../store/tables/account-status.ts'
import type { Account } from '../../../../store/tables/accounts.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

type Opened =
  | Exclude<Verdict, 'good'>
  | 'AuthenticationRequired'
  | 'tooMany'
  | { current: Account; issued: IssuedSession }

/**
 * Returns the key that counts tries: per source, so that others cannot lock the holder out, and per account, by handle or DID in any
 * spelling. An email address has its own count: a shared one would show in the headers whose address it is. Undefined for a matching
 * app password, so that a program with an old password leaves tries to the others of its computer.
 */
function triedAccount(
  { identifier, password }: { identifier: string; password: string },
  address: string,
  { store, identity: { secrets } }: Pick<Platform, 'store'> & { identity: Pick<Identity, 'secrets'> },
): string | undefined {
  const did = findByIdentifier(store, identifier)?.did
  const isApp = appPasswordFinder(secrets, password)(store, did ?? '') !== undefined
  const name = normalizeIdentifier(identifier)
  const isEmail = name.includes('@')
  return isApp ? undefined : `${isEmail ? name : (did ?? name)} ${address}`
}
/** Clients compare this text. */
const wrong = 'Invalid identifier or password'

export const createSession = method(com.core.server.createSession, {
  auth: 'none',
  // The address comes first: beyond its limit, no further names are counted, which bounds the memory.
  limits: [perFiveMinutes(300, 'address'), perFiveMinutes(30, triedAccount), daily(300, triedAccount)],
  async handler({ input, caller, fail, identity, ...platform }) {
    const { store, now } = platform
    const { secrets, passwords } = identity
    const account = findByIdentifier(store, input.identifier)
    const findAppPassword = appPasswordFinder(secrets, input.password)
    const isApp = findAppPassword(store, account?.did ?? '') !== undefined
    // Unknown accounts get the same look-up and the same hash: the response time must not reveal which accounts exist.
    const isMain =
      !isApp && (await passwords.verify(input.password, account?.passwordHash ?? undefined, caller.network))
    if (!account || !(isApp || isMain)) throw fail('AuthenticationRequired', wrong)
    const isTakendown = statusOf(account) === 'takendown'
    if (isTakendown && !(isMain && input.allowTakendown)) throw takendownError()

    // Clients send an empty string when the field of their form is empty.
    const token = input.authFactorToken?.trim() ?? ''
    const needsCode = isMain && needsFactor(store, account)
    if (needsCode && token === '') {
      throw fail('AuthFactorTokenRequired', await requestFactor({ ...platform, ...identity }, account))
    }

    // The account may have changed while the password was hashed: everything is checked again in the transaction.
    const opened = await store.transact((tx): Opened => {
      const current = accounts.findByDid(tx, account.did)
      const appPassword = isMain ? undefined : findAppPassword(tx, account.did)
      if (!current || current.passwordHash !== account.passwordHash) return 'AuthenticationRequired'
      if (!isMain && !appPassword) return 'AuthenticationRequired'
      if ((statusOf(current) === 'takendown') !== isTakendown) return 'AuthenticationRequired'
      if (isMain && needsFactor(tx, current)) {
        const verdict = spendFactor(tx, secrets, { did: account.did, token, now: now() })
        if (verdict !== 'good') return verdict
      }
      const scope = isTakendown ? scopes.takendown : scopeOf(appPassword)
      const appPasswordName = appPassword?.name ?? null
      const permissions = appPassword?.permissions ?? null
      const opening = { did: account.did, scope, appPasswordName, client: caller.client, permissions }
      return { current, issued: openSession(tx, opening, now()) }
    })
    if (opened === 'AuthenticationRequired') throw fail(opened, wrong)
    if (opened === 'tooMany') throw protocolError('RateLimitExceeded', tooManyCodes)
    if (typeof opened === 'string') throw fail(opened, tokenRefusals[opened])
    return {
      ...(await signTokens(identity, opened.issued)),
      ...(await accountView({ ...platform, ...identity }, opened.current)),
    }
  },
})

function scopeOf(appPassword: { privileged: number } | undefined) {
  if (!appPassword) return scopes.full
  return appPassword.privileged ? scopes.privilegedAppPassword : scopes.appPassword
}
