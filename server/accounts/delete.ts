/** Deleting an account: afterwards no row mentions it, but for the fact that it used an invite code. */
import * as accounts from '../store/accounts.ts'
import type { Writer } from '../store/database.ts'
import * as inviteCodes from '../store/invite-codes.ts'
import * as reservedKeys from '../store/reserved-keys.ts'

export function deleteAccount(tx: Writer, did: string): void {
  inviteCodes.removeOfAccount(tx, did)
  reservedKeys.remove(tx, did)
  accounts.remove(tx, did)
}
