/** What a session alone may not do, because it could lock the holder of the account out: a stolen session is no password. */
import type { Account } from '../../platform/store/tables/accounts.ts'
import { protocolError } from '../../platform/xrpc/errors.ts'
import type { PasswordHasher } from './passwords.ts'

/** Requires the main password of a signed-in account. @throws XrpcError `AuthenticationRequired` */
export async function requirePassword(
  passwords: PasswordHasher,
  { passwordHash }: Pick<Account, 'passwordHash'>,
  password: string,
  source: string,
): Promise<void> {
  if (!(await passwords.verify(password, passwordHash ?? undefined, source))) {
    throw protocolError('AuthenticationRequired', 'Wrong password')
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
