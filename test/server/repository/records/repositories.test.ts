/** Compares repositories with @atproto/repo's for the same records, and verifies exports with it. */
import { parseCid } from '@atproto/lex-data'
import { MemoryBlockstore, MST, readCar, verifyRepoCar } from '@atproto/repo'
import type { DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRecordListener } from '../../../../server/app/notifications/record-listener.ts'
import { createNames } from '../../../../server/platform/config/aliases.ts'
import { maxChanges } from '../../../../server/repository/events/frames.ts'
import { createTidClock } from '../../../../server/repository/format/tid.ts'
import type { Draft } from '../../../../server/repository/records/draft.ts'
import { type PreparedRecord, prepareRecord } from '../../../../server/repository/records/prepare.ts'
import { createRepositories } from '../../../../server/repository/records/repositories.ts'
import * as repos from '../../../../server/repository/tables/repos.ts'
import * as accounts from '../../../../server/store/tables/accounts.ts'
import { cidText } from '../../../../server/util/cid.ts'
import type { Account } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

let count = 0

setupServer()

const newAccount = () => server.account(`user-${count++}`)

async function download(account: Account): Promise<Uint8Array> {
  const answer = await fetch(`${server.url}/xrpc/com.core.sync.getRepo?did=${account.did}`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/vnd.ipld.car')
  return new Uint8Array(await answer.arrayBuffer())
}

/** Reads an export with the library, which checks the signature, the tree and every CID. */
async function verified(account: Account, car: Uint8Array): Promise<Map<string, string>> {
  const key = accounts.findByDid(server.running.services.store, account.did)?.signingKeyDid
  const { creates } = await verifyRepoCar(car, account.did, key)
  return new Map(creates.map(({ collection, rkey, cid }) => [`${collection}/${rkey}`, cid.toString()]))
}

/** Key and CID of every record in the table. */
function stored(did: string): Map<string, string> {
  const rows = server.running.services.store.all<{ key: string; cid: Uint8Array }>(
    `SELECT c.nsid || '/' || r.rkey AS key, r.cid FROM records r JOIN collections c ON c.id = r.collection
     WHERE r.actor = (SELECT id FROM actors WHERE did = ?)`,
    [did],
  )
  return new Map(rows.map(({ key, cid }) => [key, cidText(cid)]))
}

/** The tree nodes that the library creates for these records. */
async function nodesOf(model: Map<string, string>): Promise<{ root: string; nodes: string[] }> {
  let tree = await MST.create(new MemoryBlockstore())
  for (const [key, cid] of model) tree = await tree.add(key, parseCid(cid))
  const { root, blocks } = await tree.getUnstoredBlocks()
  return { root: root.toString(), nodes: blocks.cids().map(String).toSorted() }
}

async function expectRepository(account: Account, model: Map<string, string>): Promise<void> {
  const { store } = server.running.services
  expect(stored(account.did)).toEqual(model)
  const { root, nodes } = await nodesOf(model)
  const head = repos.findHead(store, account.did)
  expect(head?.tree).toBe(root)
  const blocks = store.all<{ cid: Uint8Array }>(
    'SELECT cid FROM repo_blocks WHERE actor = (SELECT id FROM actors WHERE did = ?)',
    [account.did],
  )
  expect(blocks.map(({ cid }) => cidText(cid)).toSorted()).toEqual([...nodes, head?.commit].toSorted())
  expect(await verified(account, await download(account))).toEqual(model)
}

test('a new account has a signed repository without records', async () => {
  const alice = await newAccount()
  await expectRepository(alice, new Map())
})

test('an export passes verification of signature, tree, CIDs and content', async () => {
  const alice = await newAccount()
  const write = (collection: string, record: object) =>
    server.post('com.core.repo.createRecord', { repo: alice.did, collection, record }, alice)
  const createdAt = '2030-01-01T00:00:00.000Z'
  const model = new Map<string, string>()
  for (let n = 0; n < 30; n++) {
    const { body } = await write('app.bsky.feed.post', { text: `post ${n}`, createdAt })
    model.set(body.uri.slice(`at://${alice.did}/`.length), body.cid)
  }
  await expectRepository(alice, model)

  const car = await download(alice)
  const { roots, blocks } = await readCar(car)
  const status = await server.get('com.core.server.checkAccountStatus', {}, alice)
  expect(roots.map(String)).toEqual([status.body.repoCommit])
  expect(blocks.size).toBe(status.body.repoBlocks)
  expect(status.body.indexedRecords).toBe(30)
  const own = { repo: alice.did, collection: 'org.example.counted', rkey: 'one', record: {}, validate: false }
  expect((await server.post('com.core.repo.putRecord', own, alice)).status).toBe(200)
  const after = await server.get('com.core.server.checkAccountStatus', {}, alice)
  expect(after.body.repoBlocks).toBe((await readCar(await download(alice))).blocks.size)
  expect(after.body.repoBlocks).not.toBe(status.body.repoBlocks)

  const bob = await newAccount()
  await expect(verified({ ...alice, did: bob.did }, car)).rejects.toThrow()
  const at = car.length - 5
  car[at] = (car[at] ?? 0) ^ 1
  await expect(verified(alice, car)).rejects.toThrow()
})

test('a record that is created after all others were deleted makes the same tree as in a new repository', async () => {
  const alice = await newAccount()
  const address = { repo: alice.did, collection: 'org.example.thing' }
  // Keys of several layers: the tree had more of them before than the next record needs.
  for (const rkey of ['key-0', 'key-1', 'key-2', 'key-3', 'key-4', 'key-5', 'key-6', 'key-7', 'key-8']) {
    const { body } = await server.post(
      'com.core.repo.createRecord',
      { ...address, rkey, record: { rkey } },
      alice,
    )
    const { root } = await nodesOf(new Map([[`org.example.thing/${rkey}`, body.cid]]))
    expect(repos.findHead(server.running.services.store, alice.did)?.tree).toBe(root)
    await server.post('com.core.repo.deleteRecord', { ...address, rkey }, alice)
  }
})

test('an export during writes contains exactly one commit', async () => {
  const alice = await newAccount()
  const write = (n: number) =>
    server.post(
      'com.core.repo.createRecord',
      { repo: alice.did, collection: 'org.example.thing', record: { n } },
      alice,
    )
  for (let n = 0; n < 20; n++) await write(n)
  const [car] = await Promise.all([download(alice), ...Array.from({ length: 20 }, (_, n) => write(n))])
  expect((await verified(alice, car)).size).toBeGreaterThanOrEqual(20)
  expect((await verified(alice, await download(alice))).size).toBe(40)
})

test('a deactivated account can export its repository', async () => {
  const alice = await newAccount()
  await server.post('com.core.server.deactivateAccount', {}, alice)
  const url = `${server.url}/xrpc/com.core.sync.getRepo?did=${alice.did}`
  const answer = await fetch(url, { headers: { authorization: `Bearer ${alice.accessJwt}` } })
  expect(await verified(alice, new Uint8Array(await answer.arrayBuffer()))).toEqual(new Map())
  expect(await (await fetch(url)).json()).toMatchObject({ error: 'RepoDeactivated' })
})

const collections = ['app.example.feed.post', 'org.example.a', 'org.example.thing'] as NsidString[]
const change = fc.record({
  collection: fc.constantFrom(...collections),
  rkey: fc.integer({ min: 0, max: 120 }).map((n) => `key-${n}` as RecordKeyString),
  value: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 3 }),
})
/** Writes of one or several changes; before a `fresh` write the server drops its trees from memory. */
const history = fc.array(
  fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 8 }), fresh: fc.boolean() }),
  { minLength: 1, maxLength: 25 },
)

test('tree, table and export contain the same records after any sequence of writes', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (writes) => {
      const account = await newAccount()
      const did = account.did as DidString
      const { services } = server.running
      const model = new Map<string, string>()
      let rev = ''
      for (const { changes, fresh } of writes) {
        const repositories = fresh ? freshRepositories() : services.repository.repositories
        const applied = await Promise.all(changes.map(toChange))
        const commit = await repositories.write(did, apply(applied, model))
        if (!commit) continue
        expect(commit.rev > rev).toBe(true)
        rev = commit.rev
      }
      await expectRepository(account, model)
    }),
    { numRuns: 40 },
  )
})

test('tree, table and export agree after thousands of writes and deletions', async () => {
  const account = await newAccount()
  const did = account.did as DidString
  const model = new Map<string, string>()
  const { repositories } = server.running.services.repository
  const all = Array.from({ length: 3000 }, (_, n) => n)
  for (const wanted of [
    () => 1,
    (n: number) => (n % 3 === 0 ? 2 : null),
    (n: number) => (n % 50 === 0 ? 2 : null),
  ]) {
    const changes = await Promise.all(
      all.map((n) => toChange({ collection: 'org.example.thing', rkey: `key-${n}`, value: wanted(n) })),
    )
    for (let at = 0; at < changes.length; at += maxChanges) {
      await repositories.write(did, apply(changes.slice(at, at + maxChanges), model))
    }
    await expectRepository(account, model)
  }
})

test('two writers without a shared queue lose no write', async () => {
  const account = await newAccount()
  const did = account.did as DidString
  const writers = [freshRepositories(), freshRepositories()]
  const model = new Map<string, string>()
  await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const change = await toChange({ collection: 'org.example.thing', rkey: `key-${n}`, value: n })
      return writers[n % 2]?.write(did, apply([change], model))
    }),
  )
  await expectRepository(account, model)
})

function freshRepositories() {
  const { store, names, app, now } = server.running.services
  const listener = createRecordListener({ names, events: app.notifications, onMoreSubscribers: () => {} })
  return createRepositories({
    budget: { spend() {} },
    store,
    names,
    nextTid: createTidClock(now),
    now,
    listener,
  })
}

function toChange({ collection, rkey, value }: { collection: string; rkey: string; value: number | null }) {
  const address = { collection: collection as NsidString, rkey: rkey as RecordKeyString }
  if (value === null) return address
  const options = { did: 'did:web:a.test', names: createNames(new Map()), newKey: () => '' } as const
  return prepareRecord({ ...address, record: { value }, validate: false }, options)
}

type Change = PreparedRecord | { collection: NsidString; rkey: RecordKeyString }

/** Applies changes to the model. @returns a plan that applies them to the repository */
function apply(changes: Change[], model: Map<string, string>) {
  for (const change of changes) {
    const key = `${change.collection}/${change.rkey}`
    if ('cid' in change) model.set(key, change.cid)
    else model.delete(key)
  }
  return (draft: Draft) => {
    for (const change of changes) {
      if ('cid' in change) draft.put(change)
      else draft.remove(change.collection, change.rkey)
    }
  }
}
