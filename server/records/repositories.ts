/**
 * Writing to repositories: each write is one signed commit, and one transaction with the records that it changes.
 *
 * The library that makes trees waits between steps, a transaction must not. So a commit is made first, and the transaction
 * begins by checking that the repository is still where the commit started from. Writes to one repository take turns, which
 * makes it so nearly always; they do not wait for the disk in their turn, so that many commits reach it together.
 */
import type { MST } from '@atproto/repo'
import type { AtUriString, DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import { type Aliases, canonicalNsid } from '../aliases.ts'
import * as accounts from '../store/accounts.ts'
import type { Database, Writer } from '../store/database.ts'
import * as records from '../store/records.ts'
import * as repos from '../store/repos.ts'
import { iso } from '../time.ts'
import { protocolError } from '../xrpc/errors.ts'
import { signCommit } from './commit.ts'
import { recordListeners } from './events.ts'
import type { PreparedRecord } from './prepare.ts'
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
  write(
    did: DidString,
    plan: (state: RepositoryState) => readonly RecordChange[],
  ): Promise<CommitMeta | undefined>
  /** Runs `task` while nobody writes to the repository. */
  inTurn<T>(did: DidString, task: () => Promise<T>): Promise<T>
}

export interface RepositoriesOptions {
  readonly store: Database
  readonly aliases: Aliases
  readonly nextTid: NextTid
  readonly now: () => Date
}

/** A tree that stays in memory with the nodes that it has read. */
interface KeptTree {
  readonly commit: string
  readonly tree: MST
  /** Writes since it was loaded: each leaves nodes in memory. */
  readonly writes: number
}

const maxKeptTrees = 100
const maxKeptWrites = 2000

export function createRepositories({ store, aliases, nextTid, now }: RepositoriesOptions): Repositories {
  const inTurn = createTurns()
  const keptTrees = new Map<string, KeptTree>()

  function treeAt(did: string, head: repos.Head): KeptTree {
    const kept = keptTrees.get(did)
    keptTrees.delete(did)
    if (kept?.commit === head.commit && kept.writes < maxKeptWrites) return kept
    return { commit: head.commit, tree: loadTree(store, did, head.tree), writes: 0 }
  }

  function keep(did: string, tree: KeptTree): void {
    keptTrees.set(did, tree)
    const [oldest] = keptTrees.keys()
    if (keptTrees.size > maxKeptTrees && oldest !== undefined) keptTrees.delete(oldest)
  }

  /** Resolves, before the disk has it, with the promise of the commit; that resolves with false when another commit came first. */
  async function attempt(did: DidString, plan: (state: RepositoryState) => readonly RecordChange[]) {
    const account = accounts.findByDid(store, did)
    const base = repos.findHead(store, did)
    if (!account || !base) throw protocolError('AccountNotFound', 'This account does not exist any more')
    const changes = plan({
      commit: base.commit,
      find: (collection, rkey) => records.find(store, did, collection, rkey),
    })
    if (changes.length === 0) return { stored: store.settled() }
    const kept = treeAt(did, base)
    const { tree, added, removed } = await changeTree(kept.tree, changes.map(treeChange))
    const rev = nextTid(base.rev)
    const { head, block } = await signCommit({ did, rev, tree: tree.pointer }, account.signingKey)
    const stored = store.transact((tx) => {
      if (repos.findHead(tx, did)?.commit !== base.commit) return false
      repos.advance(tx, did, head, { added: [...added, block], removed: [...removed, base.commit] })
      for (const change of changes) writeRecord(tx, did, change)
      keep(did, { commit: head.commit, tree, writes: kept.writes + 1 })
      return { cid: head.commit, rev }
    })
    return { stored }
  }

  function writeRecord(tx: Writer, did: DidString, change: RecordChange): void {
    const { collection, rkey } = change
    const at = iso(now())
    const event = {
      did,
      collection: canonicalNsid(collection, aliases),
      rkey,
      uri: recordUri(did, collection, rkey),
    }
    const previous = records.find(tx, did, collection, rkey)
    if (previous) {
      for (const listener of recordListeners) listener.recordDeleted(tx, { ...event, cid: previous.cid })
    }
    if (!('bytes' in change)) {
      records.remove(tx, did, collection, rkey)
      return
    }
    const { cid, bytes, blobs, canonical: record } = change
    records.put(tx, { did, collection, rkey, cid, bytes, indexedAt: at }, blobs)
    for (const listener of recordListeners) listener.recordCreated(tx, { ...event, cid, record, at })
  }

  return {
    newKey: nextTid,
    inTurn,
    async write(did, plan) {
      for (;;) {
        const { stored } = await inTurn(did, () => attempt(did, plan))
        const commit = await stored
        if (commit !== false) return commit ?? undefined
      }
    },
  }
}

export function recordUri(did: DidString, collection: NsidString, rkey: RecordKeyString): AtUriString {
  return `at://${did}/${collection}/${rkey}`
}

function treeChange(change: RecordChange) {
  return {
    key: `${change.collection}/${change.rkey}`,
    cid: 'bytes' in change ? change.cid : undefined,
  }
}

/** Tasks of one repository follow each other; those of different ones do not wait. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>()
  return <T>(did: string, task: () => Promise<T>): Promise<T> => {
    const result = (last.get(did) ?? Promise.resolve()).then(task)
    const settled = result
      .catch(() => {})
      .then(() => {
        if (last.get(did) === settled) last.delete(did)
      })
    last.set(did, settled)
    return result
  }
}
