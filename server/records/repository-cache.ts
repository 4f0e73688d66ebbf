/** Repositories cached between writes: with their signing key and the tree nodes read so far. */
import { LRUCache } from 'lru-cache'
import { type Sign, signerOf } from '../identity/keys.ts'
import type { Reader } from '../store/database.ts'
import * as accounts from '../store/tables/accounts.ts'
import { type Head, requireBlock } from '../store/tables/repos.ts'
import { protocolError } from '../xrpc/errors.ts'
import { TreeNode } from './tree.ts'

/** A repository at a commit. */
export interface CachedRepository {
  readonly commit: string
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
  /** Caches a repository after a write. */
  advance(did: string, from: CachedRepository, commit: string, tree: TreeNode): void
}

const maxCached = 100
/** Of one repository. Each write adds a node or two; loading the tree again reads one path of it. */
const maxCachedWrites = 200
const maxCachedWritesInAll = 2000

export function createRepositoryCache(store: Reader): RepositoryCache {
  const cache = new LRUCache<string, CachedRepository>({
    max: maxCached,
    maxSize: maxCachedWritesInAll,
    sizeCalculation: ({ writes }) => writes + 1,
  })
  return {
    open(did, head) {
      const cached = cache.get(did)
      if (cached?.commit === head.commit && cached.writes < maxCachedWrites) return cached
      cache.delete(did)
      const account = accounts.findByDid(store, did)
      if (!account) throw accountNotFound()
      const tree = TreeNode.stored((cid) => requireBlock(store, did, cid), head.tree)
      return { commit: head.commit, tree, sign: signerOf(account.signingKey), writes: 0 }
    },
    advance(did, from, commit, tree) {
      cache.set(did, { ...from, commit, tree, writes: from.writes + 1 })
    },
  }
}

export const accountNotFound = () => protocolError('AccountNotFound', 'This account no longer exists')
