/** Repositories cached between writes: with their signing key and the tree nodes read so far. */
import { LRUCache } from 'lru-cache'
import type { Database } from '../../store/database.ts'
import { type Sign, signerOf } from '../../util/keys.ts'
import { existingAccount } from '../access/existing.ts'
import { findHead, type Head, requireBlock } from '../tables/repos.ts'
import { TreeNode } from './tree.ts'

/** A repository at a commit. */
export interface CachedRepository {
  readonly head: Head
  /** Version of table `repos` when this was its head. */
  readonly version: number
  /** Including the nodes read so far. */
  readonly tree: TreeNode
  readonly sign: Sign
  /** Writes since it was loaded: each one leaves nodes in memory. */
  readonly writes: number
}

export interface RepositoryCache {
  /**
   * Returns the repository at its head; loads it unless that commit is cached.
   * @throws XrpcError `AccountNotFound`
   */
  open(did: string, head: Head): CachedRepository
  /** Returns the head of a repository as the store has it now; undefined if there is none. */
  head(did: string): Head | undefined
  /** Caches a repository after a write, at the end of its transaction. */
  advance(did: string, from: CachedRepository, head: Head, tree: TreeNode): void
}

const maxCached = 100
/** Writes of one repository after which its tree is loaded again. Each write adds a node or two; loading the tree again reads one path of it. */
const maxCachedWrites = 200
const maxCachedWritesInAll = 2000

export function createRepositoryCache(store: Pick<Database, 'get' | 'all' | 'version'>): RepositoryCache {
  const cache = new LRUCache<string, CachedRepository>({
    max: maxCached,
    maxSize: maxCachedWritesInAll,
    sizeCalculation: ({ writes }) => writes + 1,
  })
  const tableVersion = () => store.version('repos')
  return {
    open(did, head) {
      const cached = cache.get(did)
      if (cached?.head.commit === head.commit && cached.writes < maxCachedWrites) return cached
      cache.delete(did)
      const { signingKey } = existingAccount(store, did)
      const tree = TreeNode.stored((cid) => requireBlock(store, did, cid), head.tree)
      return { head, version: tableVersion(), tree, sign: signerOf(signingKey), writes: 0 }
    },
    head(did) {
      const cached = cache.get(did)
      return cached?.version === tableVersion() ? cached.head : findHead(store, did)
    },
    advance(did, from, head, tree) {
      cache.set(did, { ...from, head, version: tableVersion(), tree, writes: from.writes + 1 })
    },
  }
}
