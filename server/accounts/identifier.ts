/** Finding an account by whatever a person signs in with. */

import type { Reader } from '../store/database.ts'
import { type Account, findByDid, findByEmail, findByHandle } from '../store/tables/accounts.ts'

/** One spelling for all that name the same: what is looked up, and what attempts are counted for. */
export function normalizeIdentifier(identifier: string): string {
  return identifier.trim().toLowerCase().replace(/^@/, '')
}

/** @param identifier a handle (with or without `@` before it), an email address or a DID, in any letter case */
export function findByIdentifier(db: Reader, identifier: string): Account | undefined {
  const name = normalizeIdentifier(identifier)
  if (name.startsWith('did:')) return findByDid(db, identifier.trim()) ?? findByDid(db, canonicalDid(name))
  return name.includes('@') ? findByEmail(db, name) : findByHandle(db, name)
}

/** DIDs here are in lower case, but for the port of a did:web: percent-encoding is in upper case (RFC 3986 §2.1). */
function canonicalDid(lowerCase: string): string {
  return lowerCase.replace(/%[0-9a-f]{2}/g, (octet) => octet.toUpperCase())
}
