/** Checks shared by the methods that write records. */

import { protocolError, XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Account } from '../../store/tables/accounts.ts'
import type { Draft } from './draft.ts'

/** The largest body of a method that takes a record, in bytes. */
export const maxRecordBody = 1_000_000

/** @throws AuthenticationRequired unless `repo`, a handle or DID, names the account of the session */
export function checkOwnRepo(repo: string, { did, handle }: Pick<Account, 'did' | 'handle'>): void {
  if (repo === did || repo.toLowerCase() === handle) return
  throw protocolError('AuthenticationRequired', 'An account can only write to its own repository')
}

export interface Swap {
  /** Expected CID of the latest commit. */
  readonly swapCommit?: string | undefined
  /** Expected CID of the record; null if it must not exist. */
  readonly swapRecord?: string | null | undefined
}

/** @throws InvalidSwap if the repository has changed: a method that calls this declares it */
export function checkSwap(
  { swapCommit, swapRecord }: Swap,
  { commit }: Draft,
  record?: { cid: string },
): void {
  if (swapCommit !== undefined && swapCommit !== commit) {
    throw new XrpcError('InvalidSwap', `swapCommit does not match: the latest commit is ${commit}`)
  }
  if (swapRecord !== undefined && swapRecord !== (record?.cid ?? null)) {
    const actual = record ? `is ${record.cid}` : 'does not exist'
    throw new XrpcError('InvalidSwap', `swapRecord does not match: the record ${actual}`)
  }
}
