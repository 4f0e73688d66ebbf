/** Refuses what an account does while it is deleted: its session was valid when the call began. */
import type { Reader } from '../../platform/store/database.ts'
import { type Account, findByDid } from '../../platform/store/tables/accounts.ts'
import { protocolError } from '../../platform/xrpc/errors.ts'

export const accountNotFound = () => protocolError('AccountNotFound', 'This account no longer exists')

/** Returns the account as it is now. Call it in the transaction that writes. @throws AccountNotFound */
export function existingAccount(db: Reader, did: string): Account {
  const account = findByDid(db, did)
  if (!account) throw accountNotFound()
  return account
}
