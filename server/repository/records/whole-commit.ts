/** A repository as one commit, for the event stream: its readers have seen nothing of it yet. */
import type { Reader } from '../../store/database.ts'
import { type CommitEvent, maxBlockBytes, maxChanges, type RecordOp } from '../events/frames.ts'
import { carFile } from '../format/car.ts'
import { itemsOf } from '../format/tree-node.ts'
import * as records from '../tables/records.ts'
import * as repos from '../tables/repos.ts'
import { blocksOf } from './repository-blocks.ts'

/** Returns the commit that creates all records of a repository; undefined if they are too many or too large for one. */
export function wholeCommit(db: Reader, did: string): CommitEvent | undefined {
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
