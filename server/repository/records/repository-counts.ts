/** What repositories have, counted again after a change: counting reads all records of one. */
import { LRUCache } from 'lru-cache'
import type { Database } from '../../store/database.ts'
import * as records from '../tables/records.ts'
import * as repos from '../tables/repos.ts'

interface Counts {
  readonly blocks: number
  /** Distinct blobs that records refer to. */
  readonly blobs: number
}

export interface RepositoryCounts {
  of(did: string): Counts
}

const maxCached = 100
const tables = ['repo_blocks', 'records', 'omitted_records', 'record_blobs', 'actors'] as const

export function createRepositoryCounts(store: Pick<Database, 'get' | 'all' | 'version'>): RepositoryCounts {
  const cache = new LRUCache<string, { readonly version: number; readonly counts: Counts }>({
    max: maxCached,
  })
  return {
    of(did) {
      const version = store.version(...tables)
      const cached = cache.get(did)
      if (cached?.version === version) return cached.counts
      const counts = { blocks: repos.countBlocks(store, did), blobs: records.countBlobs(store, did) }
      cache.set(did, { version, counts })
      return counts
    },
  }
}
