/** What a session alone may not do, because it could lock the holder of the account out: a stolen session is no password. */
import { protocolError } from '../../platform/xrpc/errors.ts'
import { guessLimiter } from '../../platform/xrpc/rate-limit.ts'
import type { SessionCredentials } from './credentials.ts'
import type { PasswordHasher } from './passwords.ts'

/** Wrong passwords of a session in a day. Signing in again, which has limits of its own, opens another one. */
const guesses = { points: 20, seconds: 24 * 60 * 60 }

/** Requires the main password of a signed-in account. @throws XrpcError `AuthenticationRequired`, `RateLimitExceeded` */
export type RequirePassword = (
  session: Pick<SessionCredentials, 'account' | 'sessionId'>,
  password: string,
  network: string,
) => Promise<void>

/** Creates the check of all methods: each of them alone would give a stolen session guesses of its own. */
export function createRequirePassword({
  passwords,
  rateLimits,
}: {
  readonly passwords: PasswordHasher
  readonly rateLimits: boolean
}): RequirePassword {
  const count = rateLimits ? guessLimiter(guesses) : undefined
  return async ({ account, sessionId }, password, network) => {
    const isRight = await passwords.verify(password, account.passwordHash ?? undefined, network)
    count?.(sessionId, isRight)
    if (!isRight) throw protocolError('AuthenticationRequired', 'Wrong password')
  }
}

/**
 * Requires that an administrator who signed in changes the account of another person.
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
