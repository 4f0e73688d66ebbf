/** Refuses calls of an account while it is deleted: its session was valid when the call began. */

import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Reader } from '../../store/database.ts'
import { type Account, findByDid } from '../../store/tables/accounts.ts'

export const accountNotFound = () => protocolError('AccountNotFound', 'This account no longer exists')

/** Returns the account as it is now. Call it in the transaction that writes. @throws AccountNotFound */
export function existingAccount(db: Reader, did: string): Account {
  const account = findByDid(db, did)
  if (!account) throw accountNotFound()
  return account
}
