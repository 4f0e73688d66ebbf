/** Pinned commits: blocks that later writes remove from them are kept in memory while they are read. */
import type { Reader } from '../../store/database.ts'
import type { Block } from '../format/block.ts'
import * as omitted from '../tables/omitted-records.ts'
import type { StoredRecord } from '../tables/records.ts'
import type { DatedBlock, Head } from '../tables/repos.ts'
import { findDatedBlock } from '../tables/repos.ts'

export interface Pin {
  readonly head: Head
  /** Returns a node or record of the commit that a write has removed. */
  findRemoved(cid: string): DatedBlock | undefined
  release(): void
}

export interface Pins {
  /** Pins the latest commit of a repository. */
  add(did: string, head: Head): Pin
  /** Keeps the blocks that a write is going to remove. Call it in the transaction, before the removal. */
  keep(db: Reader, did: string, nodes: readonly string[], changed: readonly ChangedRecord[]): void
}

type ChangedRecord = Pick<StoredRecord, 'collection' | 'rkey'>

/** Bytes that are kept for one reader. Beyond them it must begin again. */
const maxKeptBytes = 32 * 1024 * 1024

export function createPins(maxBytes = maxKeptBytes): Pins {
  const pins = new Map<string, Set<Kept>>()
  return {
    add(did, head) {
      const kept: Kept = { blocks: new Map(), bytes: 0 }
      const all = pins.get(did) ?? new Set()
      pins.set(did, all.add(kept))
      return {
        head,
        findRemoved: (cid) => kept.blocks.get(cid),
        release() {
          all.delete(kept)
          if (all.size === 0 && pins.get(did) === all) pins.delete(did)
        },
      }
    },

    keep(db, did, nodes, changed) {
      const all = pins.get(did)
      if (!all) return
      const found = [
        ...nodes.map((cid) => ({ cid, ...findDatedBlock(db, did, cid) })),
        ...changed.map((record) => omitted.findInTree(db, did, record)),
      ]
      for (const kept of all) {
        for (const block of found) if (block?.bytes) add(kept, block as Block & DatedBlock)
        if (kept.bytes > maxBytes) kept.blocks.clear()
      }
    },
  }
}

interface Kept {
  readonly blocks: Map<string, DatedBlock>
  /** Bytes of all blocks that were ever added. */
  bytes: number
}

function add(kept: Kept, { cid, bytes, rev }: Block & DatedBlock): void {
  if (kept.blocks.has(cid)) return
  kept.blocks.set(cid, { bytes, rev })
  kept.bytes += bytes.length
}
