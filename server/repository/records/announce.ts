/** Begins to report an account on the event stream. */
import type { Reader, Writer } from '../../store/database.ts'
import { statusOf } from '../../store/tables/account-status.ts'
import { setLive, streamStates } from '../../store/tables/stream-state.ts'
import { existingAccount } from '../access/existing.ts'
import { emitAccount, emitCommit, emitIdentity, emitSync } from '../events/emit.ts'
import { type CommitEvent, maxBlockBytes, maxChanges, type RecordOp } from '../events/frames.ts'
import { carFile } from '../format/car.ts'
import { itemsOf } from '../format/tree-node.ts'
import * as records from '../tables/records.ts'
import * as repos from '../tables/repos.ts'
import { blocksOf } from './repository-blocks.ts'

/**
 * Reports an account from now on: its identity, its status and, if it is active, its repository as it is. One that was never reported
 * is reported as a commit if it is small: many servers ignore a `#sync` of an account that is new to them.
 */
export function announce(tx: Writer, did: string, at: Date): void {
  const before = existingAccount(tx, did)
  setLive(tx, did)
  emitIdentity(tx, did, at)
  emitAccount(tx, did, at)
  if (statusOf(before) !== undefined) return
  const commit = before.streamState === streamStates.unannounced ? wholeCommit(tx, did) : undefined
  if (commit) emitCommit(tx, commit, at)
  else emitSync(tx, did, at)
}

/** Returns the commit that creates all records of a repository; undefined if they are too many or too large for one. */
function wholeCommit(db: Reader, did: string): CommitEvent | undefined {
  const head = repos.findHead(db, did)
  if (!head || records.count(db, did) > maxChanges) return undefined
  const blocks = new Map(
    [...blocksOf(db, did, { head, findRemoved: () => undefined })].map((b) => [b.cid, b]),
  )
  const event = {
    ...{ did, commit: head.commit, rev: head.rev, since: undefined },
    ops: [...creations(db, did, head.tree)],
    blocks: carFile(head.commit, blocks.values()),
  }
  return event.blocks.length > maxBlockBytes ? undefined : event
}

/** Yields the creation of each record below a node. */
function* creations(db: Reader, did: string, node: string): Generator<RecordOp, void> {
  for (const item of itemsOf(repos.requireBlock(db, did, node))) {
    if (item.key === undefined) yield* creations(db, did, item.node)
    else yield { key: item.key, cid: item.record, prev: undefined }
  }
}
