/** Protects accounts from stolen sessions: changes that could lock the holder out take the main password again. */

import { guessLimiter } from '../../platform/xrpc/rate-limit.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import { existingAccount } from '../../repository/access/existing.ts'
import type { Database } from '../../store/database.ts'
import type { PasswordHasher } from '../auth/passwords.ts'
import { findOpen } from '../tables/sessions.ts'
import type { SessionCredentials } from './credentials.ts'

/** Wrong passwords per session and day. A new session takes a sign-in, which has its own limits. */
const guesses = { points: 20, seconds: 24 * 60 * 60 }

/**
 * Requires the main password of a signed-in account, and that its session is still open after the check.
 * @throws XrpcError `AuthenticationRequired`, `RateLimitExceeded`, `ExpiredToken`, `AccountNotFound`
 */
export type RequirePassword = (
  session: Pick<SessionCredentials, 'account' | 'sessionId'>,
  password: string,
  network: string,
) => Promise<void>

/** Creates the check that all methods share, so that their limit of guesses is one. */
export function createRequirePassword({
  store,
  passwords,
  rateLimits,
}: {
  readonly store: Database
  readonly passwords: PasswordHasher
  readonly rateLimits: boolean
}): RequirePassword {
  const count = rateLimits ? guessLimiter(guesses) : undefined
  return async ({ account, sessionId }, password, network) => {
    const isRight = await passwords.verify(password, account.passwordHash ?? undefined, network)
    count?.(sessionId, isRight)
    if (!isRight) throw protocolError('AuthenticationRequired', 'Wrong password')
    // The check takes a while. A reset meanwhile ends sessions, so that the old password changes nothing any more.
    existingAccount(store, account.did)
    const current = findOpen(store, sessionId)
    if (!current) throw protocolError('ExpiredToken', 'Token has been revoked')
    if (current.passwordHash !== account.passwordHash)
      throw protocolError('AuthenticationRequired', 'Wrong password')
  }
}

/**
 * Refuses an administrator's changes to their own account, unless they use the admin password.
 * @param admin DID of the session; undefined for the admin password
 * @throws XrpcError `InvalidRequest`
 */
export function requireOther(admin: string | undefined, did: string): void {
  if (admin !== did) return
  throw protocolError(
    'InvalidRequest',
    'You cannot do this to your own account as its administrator. Do it under Account, or use the admin password.',
  )
}
