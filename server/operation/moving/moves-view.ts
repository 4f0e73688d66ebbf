/** A move as clients see it: without the session at the other server. */

import type { Move } from '../../repository/tables/moves.ts'
import type { Reader } from '../../store/database.ts'
import { iso } from '../../util/time.ts'
import * as missingMedia from '../tables/missing-media.ts'
import { missingFileView } from './missing-file.ts'

/** Files that a response lists. */
const maxListed = 100

export function moveView(db: Reader, move: Move) {
  const missing = missingMedia.list(db, move.did, maxListed)
  return {
    direction: move.direction,
    server: move.peer as `${string}:${string}`,
    handle: move.handle,
    step: move.step,
    need: move.need ?? undefined,
    error: move.error ?? undefined,
    blobsExpected: move.blobsExpected ?? undefined,
    blobsCopied: move.blobsCopied,
    blobsMissing: missingMedia.count(db, move.did),
    missingMedia:
      missing.length === 0 ? undefined : missing.map((file) => missingFileView(db, move.did, file)),
    bytesCopied: move.bytesCopied,
    canCancel: canCancel(move),
    writesStopped: move.writesStopped === 1,
    credentials: move.credentials === null ? undefined : JSON.parse(move.credentials),
    startedAt: iso(new Date(move.startedAt)),
    updatedAt: iso(new Date(move.updatedAt)),
    endedAt: move.endedAt === null ? undefined : iso(new Date(move.endedAt)),
  }
}

/**
 * Whether the identity cannot name the new server. Only this server has the operation of an account that leaves it; that of an
 * account that comes here was signed by the old server.
 */
export function canCancel({ direction, step, operation, identityChanged }: Move): boolean {
  const isOpen = identityChanged === 0 && (direction === 'out' || operation === null)
  return isOpen && !['activation', 'deactivation', 'done'].includes(step)
}
