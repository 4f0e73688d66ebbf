/** The guard of what an account writes. Call it in the transaction that writes: the account may be deleted, deactivated or moved before it. */

import { protocolError, type XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Reader } from '../../store/database.ts'
import { type Account, findStatus } from '../../store/tables/accounts.ts'
import { stoppedFor } from '../tables/moves.ts'
import { accountNotFound, existingAccount } from './existing.ts'
import { statusError } from './status-errors.ts'

/** Returns an account that may write, whatever its status. @throws AccountNotFound; InvalidRequest while a move has stopped its writes */
export function requireWriter(db: Reader, did: string): Account {
  const account = existingAccount(db, did)
  refuseMoving(db, did)
  return account
}

/**
 * As `requireWriter`, for its repository: the events of an inactive one would be ignored.
 * @throws AccountTakedown, AccountSuspended, AccountDeactivated
 */
export function requireRepositoryWriter(db: Reader, did: string): void {
  const refusal = inactivity(db, did)
  if (refusal) throw refusal
  refuseMoving(db, did)
}

/** Returns why the repository of an account is inactive; undefined if it is active. */
export function inactivity(db: Reader, did: string): XrpcError | undefined {
  const account = findStatus(db, did)
  return account ? statusError(account) : accountNotFound()
}

/** The move has made its last copy: later writes would be lost. Every client shows the message of InvalidRequest. */
function refuseMoving(db: Reader, did: string): void {
  const peer = stoppedFor(db, did)
  if (peer === undefined) return
  throw protocolError(
    'InvalidRequest',
    `This account is moving to ${new URL(peer).host}. Nothing can be changed here until the move has ended or is cancelled.`,
  )
}
