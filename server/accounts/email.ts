/** Email addresses of accounts. */
import { protocolError } from '../xrpc/errors.ts'

type WithEmail<A> = A & { readonly email: string }

/** Normalizes an address for storage and comparison. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** Returns the account if it has an email address. */
export function withEmail<A extends { readonly email: string | null }>(account: A): WithEmail<A> | undefined {
  const { email } = account
  return email === null ? undefined : { ...account, email }
}

/** Returns the account. @throws XrpcError `InvalidRequest` if it has no email address */
export function requireEmail<A extends { readonly email: string | null }>(account: A): WithEmail<A> {
  const found = withEmail(account)
  if (found) return found
  throw protocolError('InvalidRequest', 'The account has no email address. Set one with updateEmail.')
}
