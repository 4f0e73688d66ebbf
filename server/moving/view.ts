/** A move as clients see it: without the session at the other server. */
import type { Move } from '../store/tables/moves.ts'
import { iso } from '../util/time.ts'

export function moveView(move: Move) {
  return {
    direction: move.direction,
    server: move.peer as `${string}:${string}`,
    handle: move.handle,
    step: move.step,
    need: move.need ?? undefined,
    error: move.error ?? undefined,
    blobsExpected: move.blobsExpected ?? undefined,
    blobsCopied: move.blobsCopied,
    blobsMissing: move.blobsMissing,
    bytesCopied: move.bytesCopied,
    canCancel: canCancel(move),
    credentials: move.credentials === null ? undefined : JSON.parse(move.credentials),
    startedAt: iso(new Date(move.startedAt)),
    updatedAt: iso(new Date(move.updatedAt)),
    endedAt: move.endedAt === null ? undefined : iso(new Date(move.endedAt)),
  }
}

/** Once an operation is signed, the identity may name the new server at any time. */
export function canCancel({ step, operation }: Move): boolean {
  return operation === null && !['activation', 'deactivation', 'done'].includes(step)
}
