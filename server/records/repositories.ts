/**
 * Writes to repositories: each write is one signed commit, in one transaction with the records that it changes.
 *
 * The tree library is asynchronous and a transaction must not be. So the commit is created first, and the transaction
 * starts by checking that the repository still has the commit's parent; if not, the write is tried again. Writes to one
 * repository are serialized, which makes that rare. They leave the queue before they are on disk, so that group commit
 * can write many of them together.
 */
import { decode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import type { MST } from '@atproto/repo'
import type { AtUriString, DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import { LRUCache } from 'lru-cache'
import { type Aliases, canonicalNsid } from '../config/aliases.ts'
import { type Sign, signerOf } from '../identity/keys.ts'
import type { Database, Reader, Writer } from '../store/database.ts'
import * as accounts from '../store/tables/accounts.ts'
import * as records from '../store/tables/records.ts'
import * as repos from '../store/tables/repos.ts'
import { createKeyedSerializer } from '../util/serialize.ts'
import { iso } from '../util/time.ts'
import { protocolError } from '../xrpc/errors.ts'
import { signCommit } from './commit.ts'
import type { AfterCommit, RecordEvent, RecordListener } from './events.ts'
import { type PreparedRecord, withCanonicalTypes } from './prepare.ts'
import type { NextTid } from './tid.ts'
import { changeTree, loadTree } from './tree.ts'

/** A record to write, or the key of one to delete. */
export type RecordChange =
  | PreparedRecord
  | { readonly collection: NsidString; readonly rkey: RecordKeyString }

/** The state of a repository before a write. */
export interface RepositoryState {
  /** CID of the latest commit. */
  readonly commit: string
  find(collection: string, rkey: string): records.StoredRecord | undefined
}

export type Plan = (state: RepositoryState) => readonly RecordChange[]

export interface CommitMeta {
  readonly cid: string
  readonly rev: string
}

export interface Repositories {
  /** Creates a TID as record key. */
  readonly newKey: NextTid
  /**
   * Commits the changes that `plan` returns and resolves once they are on disk; with undefined if there are none. Calls
   * `plan` again when another commit came first. Errors of `plan` are rethrown.
   */
  write(did: DidString, plan: Plan): Promise<CommitMeta | undefined>
  /** Runs `task` in the queue of writes to the repository. */
  serialize<T>(did: DidString, task: () => Promise<T>): Promise<T>
}

export interface RepositoriesOptions {
  readonly store: Database
  readonly aliases: Aliases
  readonly nextTid: NextTid
  readonly now: () => Date
  readonly listener: RecordListener
}

/** A repository at a commit, as cached between writes. */
interface CachedRepository {
  readonly commit: string
  /** Including the nodes read so far. */
  readonly tree: MST
  readonly sign: Sign
  /** Writes since it was loaded: each one leaves nodes in memory. */
  readonly writes: number
}

const maxCached = 100
/** Of one repository. Each write adds nodes of some 8 kB; loading the tree again reads one path of it. */
const maxCachedWrites = 200
const maxCachedWritesInAll = 2000

export function createRepositories(options: RepositoriesOptions): Repositories {
  const { store, aliases, nextTid, now, listener } = options
  const serialize = createKeyedSerializer<string>()
  const cache = new LRUCache<string, CachedRepository>({
    max: maxCached,
    maxSize: maxCachedWritesInAll,
    sizeCalculation: ({ writes }) => writes + 1,
  })

  function open(did: string, head: repos.Head): CachedRepository {
    const cached = cache.get(did)
    if (cached?.commit === head.commit && cached.writes < maxCachedWrites) return cached
    cache.delete(did)
    const account = accounts.findByDid(store, did)
    if (!account) throw accountNotFound()
    const tree = loadTree(store, did, head.tree)
    return { commit: head.commit, tree, sign: signerOf(account.signingKey), writes: 0 }
  }

  /** Resolves before the commit is on disk. `stored` then resolves with the commit, or with false if another came first. */
  async function attempt(did: DidString, plan: Plan) {
    const base = repos.findHead(store, did)
    if (!base) throw accountNotFound()
    const changes = plan({
      commit: base.commit,
      find: (collection, rkey) => records.find(store, did, collection, rkey),
    })
    if (changes.length === 0) return { stored: store.settled() }
    if (changes.some((change) => 'bytes' in change)) store.assertRoom()
    const repository = open(did, base)
    const isOutdated = (db: Reader) => repos.findHead(db, did)?.commit !== base.commit
    const made = await makeCommit(did, repository, nextTid(base.rev), changes).catch((error: unknown) => {
      // A concurrent commit has removed nodes that this one had to read.
      if (isOutdated(store)) return undefined
      throw error
    })
    if (!made) return { stored: false as const }
    const { head, tree, added, removed } = made
    const stored = store.transact((tx) => {
      if (isOutdated(tx)) return false
      repos.advance(tx, did, head, { added, removed: [...removed, base.commit] })
      const afterCommit = changes.map((change) => writeRecord(tx, did, change))
      cache.set(did, { ...repository, commit: head.commit, tree, writes: repository.writes + 1 })
      return { commit: { cid: head.commit, rev: head.rev }, afterCommit }
    })
    return { stored }
  }

  function writeRecord(tx: Writer, did: DidString, change: RecordChange): AfterCommit | undefined {
    const { collection, rkey } = change
    const at = iso(now())
    const event = (version: Pick<RecordEvent, 'cid' | 'bytes' | 'record'>): RecordEvent => ({
      did,
      collection: canonicalNsid(collection, aliases),
      rkey,
      uri: recordUri(did, collection, rkey),
      at,
      ...version,
    })
    const stored = records.find(tx, did, collection, rkey)
    const record = stored && (withCanonicalTypes(decode(stored.bytes), aliases) as LexMap)
    const previous = stored && record && event({ cid: stored.cid, bytes: stored.bytes, record })
    if (previous) records.remove(tx, did, collection, rkey)
    if (!('bytes' in change)) return previous && listener.recordDeleted(tx, previous)
    const { cid, bytes, blobs, canonical } = change
    records.insert(tx, { did, collection, rkey, cid, bytes, indexedAt: at }, blobs)
    const next = event({ cid, bytes, record: canonical })
    return previous ? listener.recordUpdated(tx, next, previous) : listener.recordCreated(tx, next)
  }

  return {
    newKey: nextTid,
    serialize,
    async write(did, plan) {
      for (;;) {
        const { stored } = await serialize(did, () => attempt(did, plan))
        const result = await stored
        if (result === false) continue
        for (const notify of result?.afterCommit ?? []) notify?.()
        return result?.commit
      }
    },
  }
}

async function makeCommit(
  did: string,
  from: CachedRepository,
  rev: string,
  changes: readonly RecordChange[],
) {
  const { tree, added, removed } = await changeTree(from.tree, changes.map(treeChange))
  const { head, block } = await signCommit({ did, rev, tree: tree.pointer }, from.sign)
  return { head, tree, added: [...added, block], removed }
}

export function recordUri(did: DidString, collection: NsidString, rkey: RecordKeyString): AtUriString {
  return `at://${did}/${collection}/${rkey}`
}

const accountNotFound = () => protocolError('AccountNotFound', 'This account no longer exists')

function treeChange(change: RecordChange) {
  return {
    key: `${change.collection}/${change.rkey}`,
    cid: 'bytes' in change ? change.cid : undefined,
  }
}
