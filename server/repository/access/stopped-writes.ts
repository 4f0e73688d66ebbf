/** Refuses writes of an account whose move has made its last copy: later writes would be lost. */

import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Reader } from '../../store/database.ts'
import { stoppedFor } from '../tables/moves.ts'

/**
 * Call it in the transaction that writes: a move stops writes between two of them.
 * @throws InvalidRequest, which every client shows with its message
 */
export function requireWritable(db: Reader, did: string): void {
  const peer = stoppedFor(db, did)
  if (peer === undefined) return
  throw protocolError(
    'InvalidRequest',
    `This account is moving to ${new URL(peer).host}. Nothing can be changed here until the move has ended or is cancelled.`,
  )
}
