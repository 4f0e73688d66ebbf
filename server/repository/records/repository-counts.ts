/** What repositories have, counted again after each commit: counting reads all records of one. */
import { LRUCache } from 'lru-cache'
import type { Database } from '../../store/database.ts'
import { cidKey } from '../../util/cid.ts'
import { yieldToEventLoop } from '../../util/timers.ts'
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

export interface RepositoryCounts {
  of(did: string): Promise<Counts>
}

const maxCached = 100
/** Records that are read before the event loop continues. */
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
  }
}

/** Counts the distinct records and blobs, and the rows that were read. Writes may come between two pages. */
async function countRecords(store: Pick<Database, 'get' | 'all'>, did: string) {
  const blocks = new Set<string>()
  const blobs = new Set<string>()
  let rows = 0
  for (let after: records.PlacedCid | undefined; ; await yieldToEventLoop()) {
    const page = records.cidPage(store, did, after, pageSize)
    const last = page.at(-1)
    if (!last) return { rows, blocks: blocks.size, blobs: blobs.size }
    for (const { cid } of page) blocks.add(cidKey(cid))
    for (const cid of records.blobsBetween(store, did, after, last)) blobs.add(cidKey(cid))
    rows += page.length
    after = last
  }
}
