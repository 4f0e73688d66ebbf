/** Finding an account by whatever a person signs in with. */
import { type Account, findByDid, findByEmail, findByHandle } from '../store/accounts.ts'
import type { Reader } from '../store/database.ts'

/** @param identifier a handle (with or without `@` before it), an email address or a DID, in any letter case */
export function findByIdentifier(db: Reader, identifier: string): Account | undefined {
  const name = identifier.trim().toLowerCase().replace(/^@/, '')
  if (name.startsWith('did:')) return findByDid(db, name)
  return name.includes('@') ? findByEmail(db, name) : findByHandle(db, name)
}
