/** The proof that changes of sign-in and recovery take. Without the second step, a thief of session and password could remove it. */
import type { Platform } from '../../platform/platform.ts'
import { protocolError, XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { existingAccount } from '../../repository/access/existing.ts'
import { tokenRefusals } from '../accounts/mail-tokens.ts'
import type { Secrets } from '../did/server-secrets.ts'
import { requestFactor, tooManyCodes } from '../factors/challenge.ts'
import { needsFactor, spendFactor } from '../factors/factors.ts'
import type { SessionCredentials } from './credentials.ts'
import type { RequirePassword } from './own-account.ts'

export interface Proof {
  /** The main password. */
  readonly password: string
  /** A code of a second factor. Clients send an empty string when the field of their form is empty. */
  readonly authFactorToken?: string | undefined
}

/**
 * Requires the main password of a signed-in account and, if it has second factors, a code of one.
 * @throws XrpcError as `RequirePassword`; `AuthFactorTokenRequired`, `InvalidToken`, `ExpiredToken`, `RateLimitExceeded`
 */
export type RequireProof = (
  session: Pick<SessionCredentials, 'did' | 'account' | 'sessionId'>,
  proof: Proof,
  network: string,
) => Promise<void>

interface Deps extends Pick<Platform, 'store' | 'mailer' | 'countMail' | 'origin' | 'now'> {
  readonly secrets: Secrets
  readonly requirePassword: RequirePassword
}

export function createRequireProof(deps: Deps): RequireProof {
  const { store, secrets, requirePassword, now } = deps
  return async (session, { password, authFactorToken }, network) => {
    await requirePassword(session, password, network)
    const { did } = session
    const account = existingAccount(store, did)
    if (!needsFactor(store, account)) return
    const token = authFactorToken?.trim() ?? ''
    if (token === '') throw new XrpcError('AuthFactorTokenRequired', await requestFactor(deps, account))
    const verdict = await store.transact((tx) => spendFactor(tx, secrets, { did, token, now: now() }))
    if (verdict === 'tooMany') throw protocolError('RateLimitExceeded', tooManyCodes)
    if (verdict !== 'good') throw new XrpcError(verdict, tokenRefusals[verdict])
  }
}
