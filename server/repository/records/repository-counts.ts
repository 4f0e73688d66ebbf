/** What repositories have, counted again after each commit: counting reads all records of one. */
import { LRUCache } from 'lru-cache'
import type { Database } from '../../store/database.ts'
import { cidKey } from '../../util/cid.ts'
import { yieldToEventLoop } from '../../util/timers.ts'
import * as blobs from '../tables/blobs.ts'
import * as imports from '../tables/imports.ts'
import * as omitted from '../tables/omitted-records.ts'
import * as records from '../tables/records.ts'
import * as repos from '../tables/repos.ts'

interface Counts {
  /** Distinct blocks of the tree and its records. */
  readonly blocks: number
  /** Distinct blobs that records refer to. */
  readonly blobs: number
}

interface Size {
  readonly count: number
  readonly bytes: number
}

export interface RepositoryCounts {
  of(did: string): Promise<Counts>
  /** Returns the size of the account's blobs that records refer to, without damaged ones. */
  referencedBlobs(did: string): Promise<Size>
}

const maxCached = 100
/** Records or blobs that are read before the event loop continues. */
const pageSize = 1000

export function createRepositoryCounts(store: Pick<Database, 'get' | 'all'>): RepositoryCounts {
  const cache = new LRUCache<string, { readonly commit: string; readonly counts: Counts }>({
    max: maxCached,
  })
  /** By DID and commit. */
  const running = new Map<string, Promise<Counts>>()

  const commitOf = (did: string) => repos.findHead(store, did)?.commit
  const isImporting = (did: string) => imports.find(store, did) !== undefined

  async function count(did: string, commit: string): Promise<Counts> {
    const startsDuringImport = isImporting(did)
    const { rows, ...ofRecords } = await countRecords(store, did)
    const counts = {
      blocks: ofRecords.blocks + repos.countBlocks(store, did) + omitted.countBlocks(store, did),
      blobs: ofRecords.blobs,
    }
    const isOfCommit = commitOf(did) === commit && rows === records.count(store, did)
    if (isOfCommit && !startsDuringImport && !isImporting(did)) cache.set(did, { commit, counts })
    return counts
  }

  return {
    async of(did) {
      const commit = commitOf(did)
      if (commit === undefined) return { blocks: 0, blobs: 0 }
      const cached = cache.get(did)
      if (cached?.commit === commit) return cached.counts
      const key = `${did} ${commit}`
      const counting = running.get(key) ?? count(did, commit).finally(() => running.delete(key))
      running.set(key, counting)
      return counting
    },
    async referencedBlobs(did) {
      let [count, bytes] = [0, 0]
      for (let after: Uint8Array | undefined; ; await yieldToEventLoop()) {
        const page = blobs.countedPage(store, did, after, pageSize)
        const shown = page.filter(({ isShown }) => isShown)
        count += shown.length
        bytes += shown.reduce((sum, { size }) => sum + size, 0)
        if (page.length < pageSize) return { count, bytes }
        after = page.at(-1)?.cid
      }
    },
  }
}

/** Counts the distinct records and blobs, and the rows that were read. Writes may come between two pages. */
async function countRecords(store: Pick<Database, 'get' | 'all'>, did: string) {
  const blocks = new Set<string>()
  const named = new Set<string>()
  let rows = 0
  for (let after: records.PlacedCid | undefined; ; await yieldToEventLoop()) {
    const page = records.cidPage(store, did, after, pageSize)
    const last = page.at(-1)
    if (!last) return { rows, blocks: blocks.size, blobs: named.size }
    for (const { cid } of page) blocks.add(cidKey(cid))
    for (const cid of records.blobsBetween(store, did, after, last)) named.add(cidKey(cid))
    rows += page.length
    after = last
  }
}
