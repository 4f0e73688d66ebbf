/**
 * Writes to repositories: each write is one signed commit, in one transaction with the records that it changes.
 *
 * The commit is created first, and the transaction replaces the commit's parent only if the repository still has it: a
 * transaction that waits for the disk may begin after another one. Then the write is tried again. Writes to one repository
 * are serialized, which makes that rare. They leave the queue before they are on disk, so that group commit can write many
 * of them together.
 *
 * Records are validated by `prepare.ts`, the tree is changed by `tree.ts`, rows are written by `write-record.ts`, links found by
 * `links.ts`. Archives of other servers are verified in a thread (`import/verify.ts`), then applied (`import/apply.ts`).
 */

import type { DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import type { Platform } from '../../platform/platform.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Writer } from '../../store/database.ts'
import { createKeyedSerializer } from '../../util/serialize.ts'
import { accountNotFound } from '../access/existing.ts'
import { inactivity, requireRepositoryWriter } from '../access/writer.ts'
import type { EventBudget } from '../events/budget.ts'
import { emitCommit } from '../events/emit.ts'
import { type CommitEvent, maxBlockBytes, maxChanges } from '../events/frames.ts'
import type { Block } from '../format/block.ts'
import { carFile } from '../format/car.ts'
import type { NextTid } from '../format/tid.ts'
import * as omitted from '../tables/omitted-records.ts'
import * as records from '../tables/records.ts'
import * as repos from '../tables/repos.ts'
import { signCommit } from './commit.ts'
import { createDraft, type Draft, type RecordChange } from './draft.ts'
import { createPins, type Pin } from './pins.ts'
import type { RecordListener } from './record-events.ts'
import { type CachedRepository, createRepositoryCache } from './repository-cache.ts'
import { changeTree, type TreeChange } from './tree.ts'
import { writeRecord } from './write-record.ts'

/** Checks the state of a repository, and makes changes to it. */
export type Plan = (draft: Draft) => void

export interface CommitMeta {
  readonly cid: string
  readonly rev: string
}

export interface Repositories {
  /** Creates a TID as record key. */
  readonly newKey: NextTid
  /**
   * Commits the changes that `plan` makes and resolves once they are on disk; with undefined if there are none. Calls
   * `plan` again when another commit came first. Errors of `plan` are rethrown.
   */
  write(did: DidString, plan: Plan): Promise<CommitMeta | undefined>
  /**
   * Commits the same tree with a later revision, and calls `work` in the transaction. Resolves once it is on disk.
   * @throws AccountNotFound
   */
  recommit(did: DidString, work: (tx: Writer) => void): Promise<void>
  /**
   * Commits changes that give records other names, also of an account that is not active. Their rows keep ids and times, and no
   * listener is called. Resolves once they are on disk, with false if `find` returns none.
   */
  rename(did: DidString, find: () => readonly RecordChange[]): Promise<boolean>
  /**
   * Pins the latest commit for reading during further writes; undefined if there is none. Waits for an import. The caller
   * releases it.
   */
  pin(did: DidString): Promise<Pin | undefined>
  /** Runs `task` in the queue of writes to the repository. */
  serialize<T>(did: DidString, task: () => Promise<T>): Promise<T>
}

export interface RepositoriesOptions extends Pick<Platform, 'store' | 'names' | 'now'> {
  readonly nextTid: NextTid
  readonly listener: RecordListener
  readonly budget: Pick<EventBudget, 'spend'>
}

export function createRepositories(options: RepositoriesOptions): Repositories {
  const { store, nextTid, now } = options
  const serialize = createKeyedSerializer<string>()
  const cache = createRepositoryCache(store)
  const pins = createPins()

  const findRecord = (did: DidString) => (collection: NsidString, rkey: RecordKeyString) =>
    records.find(store, did, collection, rkey) ?? omitted.find(store, did, collection, rkey)

  /**
   * Resolves before the commit is on disk. `stored` then resolves with the commit, with undefined if there are no changes, or with
   * false if another came first.
   * @param write writes the changes in the transaction of the commit
   */
  async function attempt<Result>(
    did: DidString,
    changesAt: (commit: string) => readonly RecordChange[],
    write: (tx: Writer, did: DidString, changes: readonly RecordChange[], event: CommitEvent) => Result,
  ) {
    const base = cache.head(did)
    if (!base) throw accountNotFound()
    const changes = changesAt(base.commit)
    if (changes.length === 0) return { stored: store.settled() }
    let repository: CachedRepository
    let made: ReturnType<typeof makeCommit>
    try {
      repository = cache.open(did, base)
      made = makeCommit(did, base, repository, nextTid(base.rev), changes)
    } catch (error) {
      // Another commit has removed nodes that this one had to read.
      if (repos.findHead(store, did)?.commit !== base.commit) return { stored: false as const }
      throw error
    }
    const { head, tree, added, removed, event } = made
    const stored = store.transact((tx) => {
      const blocks = { added, removed: [...removed, base.commit] }
      pins.keep(
        tx,
        did,
        blocks.removed,
        changes.flatMap(({ before }) => before ?? []),
      )
      if (!repos.advance(tx, did, base.commit, head, blocks)) return false
      const result = write(tx, did, changes, event)
      cache.advance(did, repository, head, tree)
      return { commit: { cid: head.commit, rev: head.rev }, result }
    })
    return { stored }
  }

  function planned(did: DidString, plan: Plan) {
    return (commit: string) => {
      const draft = createDraft(commit, findRecord(did))
      plan(draft)
      const changes = draft.changes()
      if (changes.some(({ after }) => after)) store.assertRoom()
      return changes
    }
  }

  /** Writes the records of a commit, and calls the listener. */
  function writeAll(tx: Writer, did: DidString, changes: readonly RecordChange[], event: CommitEvent) {
    requireRepositoryWriter(tx, did)
    options.budget.spend(tx, did)
    const afterCommit = changes.map((change) => writeRecord(options, tx, did, change))
    emitCommit(tx, event, now())
    return afterCommit
  }

  function renameAll(tx: Writer, did: DidString, changes: readonly RecordChange[], event: CommitEvent) {
    for (const { before, after } of changes) {
      if (before?.id === undefined) continue
      if (after) records.update(tx, before.id, { ...before, ...after }, after.blobs)
      else records.remove(tx, before.id)
    }
    if (!inactivity(tx, did)) emitCommit(tx, event, now())
  }

  return {
    newKey: nextTid,
    serialize,
    pin: (did) =>
      serialize(did, async () => {
        const head = repos.findHead(store, did)
        return head && pins.add(did, head)
      }),
    async write(did, plan) {
      for (;;) {
        const { stored } = await serialize(did, () => attempt(did, planned(did, plan), writeAll))
        const written = await stored
        if (written === false) continue
        for (const notify of written?.result ?? []) notify?.()
        return written?.commit
      }
    },
    async rename(did, find) {
      for (;;) {
        const { stored } = await serialize(did, () => attempt(did, find, renameAll))
        const renamed = await stored
        if (renamed !== false) return renamed !== undefined
      }
    },
    recommit: (did, work) =>
      serialize(did, async () => {
        for (;;) {
          const base = repos.findHead(store, did)
          if (!base) throw accountNotFound()
          const { sign } = cache.open(did, base)
          const { head, block } = signCommit({ did, rev: nextTid(base.rev), tree: base.tree }, sign)
          const isStored = await store.transact((tx) => {
            const blocks = { added: [block], removed: [base.commit] }
            pins.keep(tx, did, blocks.removed, [])
            if (!repos.advance(tx, did, base.commit, head, blocks)) return false
            work(tx)
            return true
          })
          if (isStored) return
        }
      }),
  }
}

function makeCommit(
  did: DidString,
  base: repos.Head,
  from: CachedRepository,
  rev: string,
  changes: readonly RecordChange[],
) {
  const ops = treeChanges(changes)
  if (ops.length > maxChanges) {
    throw protocolError('InvalidRequest', `A commit can change at most ${maxChanges} records`)
  }
  const { tree, added, removed, bordering } = changeTree(from.tree, ops)
  const { head, block } = signCommit({ did, rev, tree: tree.cid }, from.sign)
  const records = changes.flatMap(({ after }) => after ?? [])
  const blocks = uniqueBlocks([block, ...added, ...bordering, ...records])
  const event: CommitEvent = {
    did,
    commit: head.commit,
    rev,
    since: base,
    ops,
    blocks: carFile(head.commit, blocks),
  }
  if (event.blocks.length > maxBlockBytes) {
    throw protocolError(
      'InvalidRequest',
      'These changes are too large for one commit. Write fewer records at once.',
    )
  }
  return { head, tree, added: [...added, block], removed, event }
}

/** Records with the same content have the same block. */
function uniqueBlocks(blocks: readonly Block[]): Iterable<Block> {
  return new Map(blocks.map((block) => [block.cid, block])).values()
}

/**
 * Returns the change of each key of the tree. A renamed record is deleted under its old name and created under the new one.
 */
function treeChanges(changes: readonly RecordChange[]): TreeChange[] {
  const keys = new Map<string, { cid: string | undefined; prev: string | undefined }>()
  const changeOf = (record: { collection: string; rkey: string }) => {
    const key = `${record.collection}/${record.rkey}`
    const change = keys.get(key) ?? { cid: undefined, prev: undefined }
    keys.set(key, change)
    return change
  }
  for (const { before, after } of changes) {
    if (before) changeOf(before).prev = before.cid
    if (after) changeOf(after).cid = after.cid
  }
  return Array.from(keys, ([key, change]) => ({ key, ...change })).filter(({ cid, prev }) => cid !== prev)
}
