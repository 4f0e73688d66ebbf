import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCarWithRoot } from '@atproto/repo'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createNames } from '../../../../server/platform/config/aliases.ts'
import type { Block } from '../../../../server/repository/format/block.ts'
import { createTidClock } from '../../../../server/repository/format/tid.ts'
import { firstCommit } from '../../../../server/repository/records/commit.ts'
import { createExports } from '../../../../server/repository/records/export.ts'
import { prepareRecord } from '../../../../server/repository/records/prepare.ts'
import { createRepositories, type Repositories } from '../../../../server/repository/records/repositories.ts'
import * as records from '../../../../server/repository/tables/records.ts'
import * as repos from '../../../../server/repository/tables/repos.ts'
import { schema } from '../../../../server/schema/schema.ts'
import { Database, type Writer } from '../../../../server/store/database.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import * as accounts from '../../../../server/store/tables/accounts.ts'
import { cidBytes } from '../../../../server/util/cid.ts'
import { createSigningKey, type SigningKey } from '../../../../server/util/keys.ts'
import { iso } from '../../../../server/util/time.ts'

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const collection = 'org.example.note'
const names = createNames(new Map())
const now = () => new Date('2030-01-01T00:00:00.000Z')
const nextTid = createTidClock(now)
const listener = {
  recordCreated: () => undefined,
  recordUpdated: () => undefined,
  recordDeleted: () => undefined,
}

let dir: string
let store: Database
let key: SigningKey
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'pds-repositories-'))
  store = await Database.open({ directory: dir, schema, now })
  key = await createSigningKey()
  const start = await firstCommit({ did, rev: nextTid() }, key.privateKey)
  await store.transact((tx) => insertAccount(tx, start))
})
afterEach(async () => {
  await store.close()
  rmSync(dir, { recursive: true })
})

test('write: retries when its tree nodes were deleted by another commit', async () => {
  const before = open()
  for (const rkey of ['a', 'b', 'c']) await write(before, rkey)
  const other = await firstCommit({ did, rev: nextTid() }, key.privateKey)

  let plans = 0
  const record = await note('d')
  const commit = await open().write(did, (draft) => {
    // Deletes and imports the account while the tree is being changed.
    if (plans++ === 0) void store.transact((tx) => replaceAccount(tx, other))
    draft.put(record)
  })
  expect(plans).toBe(2)
  expect(repos.findHead(store, did)?.commit).toBe(commit?.cid)
  expect(records.page(store, { did, collection, limit: 10 }).map(({ rkey }) => rkey)).toEqual(['d'])
})

test('write: is tried again when another commit came first', async () => {
  const isOther = Promise.withResolvers<void>()
  const waiting = new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (name !== 'transact') return value.bind(target)
      return (work: (tx: Writer) => unknown) => isOther.promise.then(() => target.transact(work))
    },
  })
  let plans = 0
  const record = await note('a')
  const first = open(waiting).write(did, (draft) => {
    plans++
    draft.put(record)
  })
  await write(open(), 'b')
  isOther.resolve()
  const commit = await first
  expect(plans).toBe(2)
  expect(repos.findHead(store, did)?.commit).toBe(commit?.cid)
  expect(records.count(store, did)).toBe(2)
})

test('write: follows a commit that changed no record', async () => {
  const repositories = open()
  await write(repositories, 'a')
  await repositories.recommit(did, () => {})
  const commit = await write(repositories, 'b')
  expect(repos.findHead(store, did)?.commit).toBe(commit?.cid)
  expect(records.count(store, did)).toBe(2)
})

test('write: fails on a damaged tree without blocking the next write', async () => {
  await write(open(), 'a')
  const head = repos.findHead(store, did)
  await store.transact((tx) => tx.run('DELETE FROM repo_blocks WHERE cid = ?', [cidBytes(head?.tree ?? '')]))
  const repositories = open()
  await expect(write(repositories, 'b')).rejects.toThrow()
  await expect(write(repositories, 'b')).rejects.toThrow()
  expect(repos.findHead(store, did)).toEqual(head)
})

test('write: concurrent writes make one commit each, and the last contains all records', async () => {
  const repositories = open()
  const names = Array.from({ length: 20 }, (_, at) => `note-${at}`)
  const commits = await Promise.all(names.map((rkey) => write(repositories, rkey)))
  expect(new Set(commits.map((commit) => commit?.cid)).size).toBe(20)
  expect(commits.map((commit) => commit?.rev)).toEqual(commits.map((commit) => commit?.rev).toSorted())
  expect(records.count(store, did)).toBe(20)
  const exports = createExports({ store, repositories, files: nodeFiles, dataDir: dir })
  const exported = await exports.open(did, { reader: 'test' })
  const { root } = await readCarWithRoot(Buffer.concat((await exported?.toArray()) ?? []))
  expect(root.toString()).toBe(commits.at(-1)?.cid)
})

test('export: is destroyed unless it is read at the minimum speed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const repositories = open()
    for (let n = 0; n < 60; n++) await write(repositories, `note-${n}`, 'x'.repeat(10_000))
    const exports = createExports({ store, repositories, files: nodeFiles, dataDir: dir })
    const read = await exports.open(did, { reader: 'fast' })
    const unread = await exports.open(did, { reader: 'slow' })
    const chunks = read?.iterator({ destroyOnReturn: false })
    for (let bytes = 0; bytes < 400_000; bytes += (await chunks?.next())?.value?.length ?? 0);
    vi.advanceTimersByTime(30_000)
    expect([read?.destroyed, unread?.destroyed]).toEqual([false, true])
    vi.advanceTimersByTime(30_000)
    expect(read?.destroyed).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})

test('write: a revision from the future is followed by later ones, and record keys keep the present time', async () => {
  const ahead = createTidClock(() => new Date('2040-01-01T00:00:00.000Z'))()
  const imported = await firstCommit({ did, rev: ahead }, key.privateKey)
  await store.transact((tx) => replaceAccount(tx, imported))
  const repositories = open()
  const first = await write(repositories, 'a')
  const second = await write(repositories, 'b')
  expect([second?.rev, first?.rev, ahead].toSorted()).toEqual([ahead, first?.rev, second?.rev])
  expect(new Set([ahead, first?.rev, second?.rev]).size).toBe(3)
  expect(repositories.newKey() < createTidClock(() => new Date('2030-01-01T00:01:00.000Z'))()).toBe(true)
})

/** Simulates a start: no repository is in memory. */
function open(use: Database = store): Repositories {
  return createRepositories({
    budget: { spend() {} },
    store: use,
    names,
    nextTid,
    now,
    listener,
  })
}

async function write(repositories: Repositories, rkey: string, text = rkey) {
  const record = await note(rkey, text)
  return repositories.write(did, (draft) => draft.put(record))
}

function note(rkey: string, text = rkey) {
  return prepareRecord({ collection, rkey, record: { text } }, { did, names, newKey: nextTid })
}

interface Start {
  readonly head: repos.Head
  readonly blocks: readonly Block[]
}

function insertAccount(tx: Writer, { head, blocks }: Start): void {
  accounts.insert(tx, {
    did,
    handle: 'alice.test',
    email: null,
    passwordHash: null,
    isOwner: true,
    isMinted: true,
    createdAt: iso(now()),
    deactivatedAt: null,
    activateBy: null,
    streamState: 1,
    inviteCode: null,
    signingKey: key.privateKey,
    signingKeyDid: key.did,
    plcOperation: null,
  })
  repos.insert(tx, did, head, blocks)
}

function replaceAccount(tx: Writer, start: Start): void {
  tx.run('DELETE FROM accounts WHERE did = ?', [did])
  insertAccount(tx, start)
}
