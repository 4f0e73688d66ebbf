/** Main passwords of accounts. */
import type { Writer } from '../../store/database.ts'
import * as accounts from '../../store/tables/accounts.ts'
import * as mailTokens from '../tables/mail-tokens.ts'

/** Requires 8 to 256 characters, and nothing else: length makes a password strong (NIST SP 800-63B §3.1.1). */
export function passwordProblem(password: string): string | undefined {
  const { length } = [...password]
  if (length < 8) return 'A password needs at least 8 characters'
  return length > 256 ? 'A password may have 256 characters at most' : undefined
}

/** Sets the password. Earlier codes become invalid: a thief with the old password may have created them. */
export function changePassword(tx: Writer, did: string, passwordHash: string): void {
  accounts.setPassword(tx, did, passwordHash)
  mailTokens.removeOfAccount(tx, did)
}
