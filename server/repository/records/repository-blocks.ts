/** Reads the blocks of stored repositories: all, newer than a revision, or the proof of a record. */

import type { Reader } from '../../store/database.ts'
import { cidBytes, cidKey } from '../../util/cid.ts'
import { yieldToEventLoop } from '../../util/timers.ts'
import type { Block } from '../format/block.ts'
import { itemsOf, splitKey, type TreeItem } from '../format/tree-node.ts'
import * as omitted from '../tables/omitted-records.ts'
import * as records from '../tables/records.ts'
import * as repos from '../tables/repos.ts'
import type { Pin } from './pins.ts'

/** The part of a commit that is no longer stored. */
type Removed = (cid: string) => repos.DatedBlock | undefined

/** A block of a commit, and the revision that wrote it. */
export type CommitBlock = Block & repos.DatedBlock

/**
 * Yields the commit, then nodes and records in the order of the tree, so that a reader can verify them as they arrive. Throws
 * when a block is missing. Writes may come between two blocks if the commit is pinned.
 * @param since leaves out blocks of this and earlier revisions
 */
export function* blocksOf(
  db: Reader,
  did: string,
  { head, findRemoved }: Pick<Pin, 'head' | 'findRemoved'>,
  since?: string,
): Generator<CommitBlock, void> {
  const isNewer = ({ rev }: repos.DatedBlock) => isNewerThan(since, rev)
  const commit = nodeOf(db, did, head.commit, findRemoved)
  if (isNewer(commit)) yield { cid: head.commit, ...commit }
  yield* below(head.tree)

  // A node that is as old as `since` contains nothing newer: each change of a record changes all nodes above it.
  function* below(cid: string): Generator<CommitBlock, void> {
    const node = nodeOf(db, did, cid, findRemoved)
    if (!isNewer(node)) return
    yield { cid, ...node }
    for (const item of itemsOf(node.bytes)) {
      if (item.key === undefined) {
        yield* below(item.node)
        continue
      }
      const record = recordOf(db, did, item.key, item.record, findRemoved)
      if (isNewer(record)) yield { ...record, cid: item.record }
    }
  }
}

/** Whether a reader that has the revision `since` lacks the blocks of `rev`. */
export function isNewerThan(since: string | undefined, rev: string | null): boolean {
  return since === undefined || rev === null || rev > since
}

/** Returns the blocks that prove which record each key has in the latest commit, or that it has none. */
export function proofOf(db: Reader, did: string, head: repos.Head, key: string): Block[] {
  const blocks = new Map([[head.commit, nodeOf(db, did, head.commit).bytes]])
  for (let cid: string | undefined = head.tree; cid !== undefined; ) {
    const { bytes } = nodeOf(db, did, cid)
    blocks.set(cid, bytes)
    const items = itemsOf(bytes)
    const record = items.find((item) => item.key === key)
    if (record?.key !== undefined) blocks.set(record.record, recordOf(db, did, key, record.record).bytes)
    cid = record ? undefined : nodeAround(items, key)
  }
  return [...blocks].map(([cid, bytes]) => ({ cid, bytes }))
}

/** Records that are compared before the event loop continues. */
const pageSize = 1000

/** Returns the given blocks that the latest commit contains, by CID. Records are found without an index: slowly. */
export async function findBlocks(
  db: Reader,
  did: string,
  cids: readonly string[],
): Promise<ReadonlyMap<string, Block>> {
  const found = new Map<string, Block>()
  const wanted = new Map(cids.map((cid) => [cidKey(cidBytes(cid)), cid]))
  const add = (key: string, bytes: Uint8Array | undefined) => {
    const cid = wanted.get(key)
    if (cid === undefined || !bytes) return
    found.set(cid, { cid, bytes })
    wanted.delete(key)
  }
  for (const [key, cid] of [...wanted]) {
    add(key, repos.findBlock(db, did, cid) ?? omitted.findBlock(db, did, cid))
  }
  for (let after: records.PlacedCid | undefined; wanted.size > 0; await yieldToEventLoop()) {
    const page = records.cidPage(db, did, after, pageSize)
    for (const { id, cid } of page) if (wanted.has(cidKey(cid))) add(cidKey(cid), records.bytesOf(db, id))
    after = page.at(-1)
    if (!after) break
  }
  return found
}

/** Returns the lower node whose range contains a key. */
function nodeAround(items: readonly TreeItem[], key: string): string | undefined {
  const next = items.findIndex((item) => item.key !== undefined && item.key > key)
  const before = next < 0 ? items.at(-1) : items[next - 1]
  return before?.key === undefined ? before?.node : undefined
}

function nodeOf(db: Reader, did: string, cid: string, findRemoved?: Removed): repos.DatedBlock {
  const node = repos.findDatedBlock(db, did, cid) ?? findRemoved?.(cid)
  if (!node) throw new Error(`The repository of ${did} lacks the block ${cid}`)
  return node
}

function recordOf(
  db: Reader,
  did: string,
  key: string,
  cid: string,
  findRemoved?: Removed,
): repos.DatedBlock {
  const stored = omitted.findInTree(db, did, splitKey(key))
  const record = stored?.cid === cid ? stored : findRemoved?.(cid)
  if (!record) throw new Error(`The repository of ${did} lacks the record ${key}, ${cid}`)
  return record
}
