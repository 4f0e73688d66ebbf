/** Frames of `subscribeRepos` (Sync 1.1), encoded independently of the server's code. */
import { encode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import { blocksToCarFile } from '@atproto/repo'
import type { RemoteCommit } from './remote-repository.ts'

/** An event without its number and time. */
export interface RemoteEvent {
  /** `#commit`, `#sync`, `#identity`, `#account` or anything else. */
  readonly type: string
  readonly payload: LexMap
}

export function frameOf({ type, payload }: RemoteEvent, seq: number, time: string): Buffer {
  return Buffer.concat([encode({ op: 1, t: type }), encode({ seq, time, ...payload })])
}

/** A frame without a number: `#info`. */
export function infoFrame(name: string): Buffer {
  return Buffer.concat([encode({ op: 1, t: '#info' }), encode({ name })])
}

export function errorFrame(error: string): Buffer {
  return Buffer.concat([encode({ op: -1 }), encode({ error, message: error })])
}

/** @param changes members of the payload that differ */
export async function commitEvent(
  did: string,
  { head, since, ops, blocks }: RemoteCommit,
  changes: LexMap = {},
): Promise<RemoteEvent> {
  const payload = {
    repo: did,
    commit: head.cid,
    rev: head.rev,
    since: since?.rev ?? null,
    ...(since && { prevData: since.data }),
    ops: ops.map((op) => ({ ...op })),
    blocks: await blocksToCarFile(head.cid, blocks),
    blobs: [],
    rebase: false,
    tooBig: false,
    ...changes,
  }
  return { type: '#commit', payload }
}

export function syncEvent(did: string, rev: string, blocks: Uint8Array): RemoteEvent {
  return { type: '#sync', payload: { did, rev, blocks } }
}

export function identityEvent(did: string, handle: string): RemoteEvent {
  return { type: '#identity', payload: { did, handle } }
}

/** @param status undefined for an active account */
export function accountEvent(did: string, status: string | undefined): RemoteEvent {
  const activity = status === undefined ? { active: true } : { active: false, status }
  return { type: '#account', payload: { did, ...activity } }
}
