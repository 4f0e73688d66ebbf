/**
 * Writing to repositories: each write is one signed commit, and one transaction with the records that it changes.
 *
 * The library that makes trees waits between steps, a transaction must not. So a commit is made first, and the transaction
 * begins by checking that the repository is still where the commit started from. Writes to one repository take turns, which
 * makes it so nearly always; they do not wait for the disk in their turn, so that many commits reach it together.
 */
import { decode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import type { MST } from '@atproto/repo'
import type { AtUriString, DidString, NsidString, RecordKeyString } from '@atproto/syntax'
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

/** A record to write, or the address of one to delete. */
export type RecordChange =
  | PreparedRecord
  | { readonly collection: NsidString; readonly rkey: RecordKeyString }

/** A repository as a write finds it. */
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
  /** Makes a TID, for a record key. */
  readonly newKey: NextTid
  /**
   * Commits the changes that `plan` decides on, and resolves once they are on disk; with undefined when there are none. `plan` may
   * be called again when the repository has changed meanwhile. What it throws is thrown on.
   */
  write(did: DidString, plan: Plan): Promise<CommitMeta | undefined>
  /** Runs `task` while nobody writes to the repository. */
  serialize<T>(did: DidString, task: () => Promise<T>): Promise<T>
}

export interface RepositoriesOptions {
  readonly store: Database
  readonly aliases: Aliases
  readonly nextTid: NextTid
  readonly now: () => Date
  readonly listener: RecordListener
}

/** What stays in memory of a repository at a commit. */
interface Kept {
  readonly commit: string
  /** With the nodes that it has read. */
  readonly tree: MST
  readonly sign: Sign
  /** Writes since it was loaded: each leaves nodes in memory. */
  readonly writes: number
}

const maxKept = 100
const maxKeptWrites = 2000

export function createRepositories(options: RepositoriesOptions): Repositories {
  const { store, aliases, nextTid, now, listener } = options
  const serialize = createKeyedSerializer<string>()
  const kept = new Map<string, Kept>()

  function open(did: string, head: repos.Head): Kept {
    const found = kept.get(did)
    kept.delete(did)
    if (found?.commit === head.commit && found.writes < maxKeptWrites) return found
    const account = accounts.findByDid(store, did)
    if (!account) throw gone()
    const tree = loadTree(store, did, head.tree)
    return { commit: head.commit, tree, sign: signerOf(account.signingKey), writes: 0 }
  }

  function keep(did: string, repository: Kept): void {
    kept.set(did, repository)
    const [oldest] = kept.keys()
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
  }

  /** Resolves, before the disk has it, with the promise of the commit; that resolves with false when another commit came first. */
  async function attempt(did: DidString, plan: Plan) {
    const base = repos.findHead(store, did)
    if (!base) throw gone()
    const changes = plan({
      commit: base.commit,
      find: (collection, rkey) => records.find(store, did, collection, rkey),
    })
    if (changes.length === 0) return { stored: store.settled() }
    if (changes.some((change) => 'bytes' in change)) store.assertRoom()
    const repository = open(did, base)
    const isOutdated = (db: Reader) => repos.findHead(db, did)?.commit !== base.commit
    const made = await makeCommit(did, repository, nextTid(base.rev), changes).catch((error: unknown) => {
      // Nodes that the other commit has removed could not be read.
      if (isOutdated(store)) return undefined
      throw error
    })
    if (!made) return { stored: false as const }
    const { head, tree, added, removed } = made
    const stored = store.transact((tx) => {
      if (isOutdated(tx)) return false
      repos.advance(tx, did, head, { added, removed: [...removed, base.commit] })
      const afterCommit = changes.map((change) => writeRecord(tx, did, change))
      keep(did, { ...repository, commit: head.commit, tree, writes: repository.writes + 1 })
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
        for (const tell of result?.afterCommit ?? []) tell?.()
        return result?.commit
      }
    },
  }
}

async function makeCommit(did: string, from: Kept, rev: string, changes: readonly RecordChange[]) {
  const { tree, added, removed } = await changeTree(from.tree, changes.map(treeChange))
  const { head, block } = await signCommit({ did, rev, tree: tree.pointer }, from.sign)
  return { head, tree, added: [...added, block], removed }
}

export function recordUri(did: DidString, collection: NsidString, rkey: RecordKeyString): AtUriString {
  return `at://${did}/${collection}/${rkey}`
}

const gone = () => protocolError('AccountNotFound', 'This account does not exist any more')

function treeChange(change: RecordChange) {
  return {
    key: `${change.collection}/${change.rkey}`,
    cid: 'bytes' in change ? change.cid : undefined,
  }
}
