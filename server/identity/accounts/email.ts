/** Email addresses of accounts. */
import { isEmailAddress } from '../../platform/mail/address.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Reader, Writer } from '../../store/database.ts'
import * as accounts from '../../store/tables/accounts.ts'
import * as mailTokens from '../tables/mail-tokens.ts'

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

/** Whether a mailed code is more than the main password: the address is confirmed, and this server mails. */
export function isProtectedByMail(
  { email, emailConfirmedAt }: { readonly email: string | null; readonly emailConfirmedAt: string | null },
  { smtpUrl }: { readonly smtpUrl?: string | undefined },
): boolean {
  return email !== null && emailConfirmedAt !== null && smtpUrl !== undefined
}

/** Returns the account. @throws XrpcError `InvalidRequest` if it has no email address */
export function requireEmail<A extends { readonly email: string | null }>(account: A): WithEmail<A> {
  const found = withEmail(account)
  if (found) return found
  throw protocolError('InvalidRequest', 'The account has no email address. Set one with updateEmail.')
}

/** @param email normalized @throws XrpcError `InvalidRequest` if the address is malformed or belongs to another account */
export function requireFreeEmail(db: Reader, did: string, email: string): void {
  if (!isEmailAddress(email)) throw protocolError('InvalidRequest', 'This is not a valid email address')
  const holder = accounts.findByEmail(db, email)
  if (holder && holder.did !== did) {
    throw protocolError('InvalidRequest', 'Another account has this email address')
  }
}

/** Sets an unconfirmed address. The second factor is turned off, and codes mailed to the previous address become invalid. */
export function changeEmail(tx: Writer, did: string, email: string): void {
  accounts.setEmail(tx, did, email)
  mailTokens.removeOfAccount(tx, did)
}
