/** Finds an account by the identifier of a sign-in. */
import { isValidDid, isValidHandle } from '@atproto/syntax'
import { isEmailAddress } from '../../platform/mail/address.ts'
import type { Reader } from '../../store/database.ts'
import { type Account, findByDid, findByEmail, findByHandle } from '../../store/tables/accounts.ts'

/** Normalizes an identifier, for the look-up and for rate limits. */
export function normalizeIdentifier(identifier: string): string {
  return identifier.trim().toLowerCase().replace(/^@/, '')
}

/** Whether a normalized identifier has the form of one, whether or not an account has it. */
export function isIdentifier(name: string): boolean {
  return isValidDid(name) || isValidHandle(name) || isEmailAddress(name)
}

/** @param identifier a handle (with or without `@` before it), an email address or a DID, in any letter case */
export function findByIdentifier(db: Reader, identifier: string): Account | undefined {
  const name = normalizeIdentifier(identifier)
  if (name.startsWith('did:')) return findByDid(db, identifier.trim()) ?? findByDid(db, canonicalDid(name))
  return name.includes('@') ? findByEmail(db, name) : findByHandle(db, name)
}

/** Returns the identifiers of an account, as `normalizeIdentifier` returns it. */
export function identifiersOf({ did, handle, email }: Pick<Account, 'did' | 'handle' | 'email'>): string[] {
  return [did.toLowerCase(), handle, ...(email === null ? [] : [email])]
}

/** Stored DIDs are in lower case, except for percent-encoding in a did:web, which is in upper case (RFC 3986 §2.1). */
function canonicalDid(lowerCase: string): string {
  return lowerCase.replace(/%[0-9a-f]{2}/g, (octet) => octet.toUpperCase())
}
