/**
 * The operations of identities that no directory has: the first one, whose hash is the DID, and its successors. They are
 * published in this order once a directory is configured.
 */

import type { Reader, Writer } from '../../store/database.ts'
import type { Account } from '../../store/tables/accounts.ts'
import { type DatetimeString, iso } from '../../util/time.ts'
import type { PlcOperation } from '../did/did-plc.ts'
import * as operations from '../tables/plc-operations.ts'

/** An account whose DID was created here. */
export type Minted = Account & { readonly plcOperation: string }

/** Whether the DID was created here and no directory has it yet. */
export function isUnpublished(account: Account): account is Minted {
  return account.isMinted === 1 && account.plcOperation !== null && account.plcSubmittedAt === null
}

/** Returns the operations of an unpublished identity, the oldest first. */
export function chainOf(db: Reader, account: Minted): PlcOperation[] {
  return datedChainOf(db, account).map(({ operation }) => operation)
}

/** As `chainOf`, with the times at which they were made. */
export function datedChainOf(
  db: Reader,
  { did, plcOperation, createdAt }: Minted,
): { readonly operation: PlcOperation; readonly createdAt: DatetimeString }[] {
  return [{ operation: plcOperation, createdAt }, ...operations.list(db, did)].map((row) => ({
    ...row,
    operation: JSON.parse(row.operation),
  }))
}

/** Returns the last operation of an unpublished identity: its current state. */
export function endOfChain(db: Reader, { did, plcOperation }: Minted): PlcOperation {
  return JSON.parse(operations.findLast(db, did) ?? plcOperation)
}

/** @param operation follows the last one */
export function appendToChain(tx: Writer, did: string, operation: PlcOperation, at: Date): void {
  operations.append(tx, did, JSON.stringify(operation), iso(at))
}
