/** A collection and its aliases are one collection: a record has one key, whatever name it was written under. */
import { readCar, verifyRepoCar } from '@atproto/repo'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { defaultConfig } from '../../server/config/config.ts'
import * as accounts from '../../server/store/tables/accounts.ts'
import { type Account, TestServer } from '../support/server.ts'
import { body, createdAt, type Ref, SocialServer } from '../support/social.ts'

const ours = 'app.example.feed.post'
const theirs = 'app.bsky.feed.post'
const invalid = { status: 400, body: { error: 'InvalidRequest' } }
const notFound = { status: 400, body: { error: 'RecordNotFound' } }

let server: TestServer
let social: SocialServer
/** Each test has its own accounts. */
let alice: Account
let bob: Account
let names = 0
const keys = ['3kaaaaaaaaaa2', '3kaaaaaaaaaa3', '3kaaaaaaaaaa4', '3kaaaaaaaaaa5', '3kaaaaaaaaaa6'] as const

beforeAll(async () => {
  server = await TestServer.start()
  social = SocialServer.on(server)
})
beforeEach(async () => {
  alice = await server.account(`alice-${names++}`)
  bob = await server.account(`bob-${names}`)
})
afterAll(() => server.close())

const call = (name: string, input: object, on = server) =>
  on.post(`com.core.repo.${name}`, { repo: alice.did, ...input }, alice)
const write = (collection: string, rkey: string, text: string = rkey): Promise<Ref> =>
  social.write(alice, collection, { text, createdAt }, { rkey })
const get = (collection: string, rkey: string, on = server) =>
  on.get('com.core.repo.getRecord', { repo: alice.did, collection, rkey })
const list = async (collection: string, params: Record<string, string> = {}, on = server) =>
  body(await on.get('com.core.repo.listRecords', { repo: alice.did, collection, ...params }))
const listed = async (collection: string, params: Record<string, string> = {}, on = server) =>
  (await list(collection, params, on)).records.map(({ uri }: Ref) => uri.split('/').slice(-2).join('/'))
const status = async () => body(await server.get('com.core.server.checkAccountStatus', {}, alice))

/** Collections and keys in the signed tree, sorted. */
async function exported(on = server): Promise<string[]> {
  const answer = await fetch(`${on.url}/xrpc/com.core.sync.getRepo?did=${alice.did}`)
  const car = new Uint8Array(await answer.arrayBuffer())
  const key = accounts.findByDid(on.running.services.store, alice.did)?.signingKeyDid
  const { creates } = await verifyRepoCar(car, alice.did, key)
  expect((await readCar(car)).blocks.size).toBeGreaterThan(creates.length)
  return creates.map(({ collection, rkey }) => `${collection}/${rkey}`).toSorted()
}

describe('reading', () => {
  test('getRecord finds a record under both names and returns its URI as it is stored', async () => {
    const { uri, cid } = await write(theirs, keys[0])
    for (const name of [theirs, ours]) expect(body(await get(name, keys[0]))).toMatchObject({ uri, cid })
  })

  test('listRecords merges the names in the order of the keys, in pages in both directions', async () => {
    const all = keys.map((rkey, at) => `${at % 2 ? ours : theirs}/${rkey}`)
    for (const [at, rkey] of keys.entries()) await write(at % 2 ? ours : theirs, rkey)
    for (const name of [theirs, ours]) {
      for (const reverse of ['true', 'false']) {
        const found: string[] = []
        let cursor: string | undefined
        do {
          const params: Record<string, string> = { limit: '2', reverse, ...(cursor ? { cursor } : {}) }
          found.push(...(await listed(name, params)))
          cursor = (await list(name, params)).cursor
        } while (cursor)
        expect(found).toEqual(reverse === 'true' ? all : all.toReversed())
      }
    }
  })

  test('describeRepo names a collection once', async () => {
    const collections = async () =>
      body(await server.get('com.core.repo.describeRepo', { repo: alice.did })).collections
    await write(theirs, keys[0])
    await social.write(alice, 'org.example.thing', {})
    expect(await collections()).toEqual([theirs, 'org.example.thing'])
    await write(ours, keys[1])
    expect(await collections()).toEqual([ours, 'org.example.thing'])
  })
})

describe('a key that exists under another name', () => {
  test('cannot be created again', async () => {
    const { uri } = await write(theirs, keys[0])
    const value = { text: 'twice', createdAt }
    const input = { collection: ours, rkey: keys[0] }
    expect(await call('createRecord', { ...input, record: value })).toMatchObject(invalid)
    const create = { $type: 'com.core.repo.applyWrites#create', ...input, value }
    expect(await call('applyWrites', { writes: [create] })).toMatchObject(invalid)
    expect(body(await get(ours, keys[0])).uri).toBe(uri)
  })

  test('is deleted by deleteRecord and applyWrites', async () => {
    await write(theirs, keys[0])
    await write(ours, keys[1])
    await call('deleteRecord', { collection: ours, rkey: keys[0] })
    const remove = { $type: 'com.core.repo.applyWrites#delete', collection: theirs, rkey: keys[1] }
    body(await call('applyWrites', { writes: [remove] }))
    for (const [at, name] of [theirs, ours].entries()) {
      expect(await get(name, keys[at] as string)).toMatchObject(notFound)
    }
    expect(await exported()).toEqual([])
  })

  test('is compared with swapRecord', async () => {
    const { cid } = await write(theirs, keys[0])
    const input = { collection: ours, rkey: keys[0] }
    const put = (swapRecord: string | null) =>
      call('putRecord', { ...input, record: { text: 'new', createdAt }, swapRecord })
    const mismatch = { status: 400, body: { error: 'InvalidSwap' } }
    expect(await put(null)).toMatchObject(mismatch)
    const moved = body(await put(cid))
    expect(await call('deleteRecord', { collection: theirs, rkey: keys[0], swapRecord: cid })).toMatchObject(
      mismatch,
    )
    body(await call('deleteRecord', { collection: theirs, rkey: keys[0], swapRecord: moved.cid }))
    expect(await exported()).toEqual([])
  })

  test.each(['putRecord', 'applyWrites'])('is moved by %s in one commit', async (method) => {
    await write(theirs, keys[0], 'before')
    await write(theirs, keys[1], 'stays')
    const key = { collection: ours, rkey: keys[0] }
    const record = { text: 'after', createdAt }
    const update = { $type: 'com.core.repo.applyWrites#update', ...key, value: record }
    const input = method === 'putRecord' ? { ...key, record } : { writes: [update] }
    const { commit } = body(await call(method, input))
    expect(await status()).toMatchObject({ repoCommit: commit.cid, indexedRecords: 2 })
    expect(await exported()).toEqual([`${theirs}/${keys[1]}`, `${ours}/${keys[0]}`].toSorted())
    for (const name of [theirs, ours]) {
      const expected = { uri: `at://${alice.did}/${ours}/${keys[0]}`, value: { $type: ours, text: 'after' } }
      expect(body(await get(name, keys[0]))).toMatchObject(expected)
    }
  })

  test('keeps its notification when it is moved', async () => {
    const post = await social.post(bob)
    const like = await social.like(alice, post)
    const before = (await social.list(bob)).notifications
    expect(before[0]).toMatchObject({ reason: 'like', uri: like.uri, reasonSubject: post.uri })
    const uri = like.uri.replace('app.example', 'app.bsky')
    const record = { subject: post, createdAt }
    const moved = await social.put(alice, 'app.bsky.feed.like', like.uri.split('/').at(-1) ?? '', record)
    const after = (await social.list(bob)).notifications
    expect(after).toHaveLength(before.length)
    expect(after[0]).toMatchObject({ reason: 'like', uri, cid: moved.cid, indexedAt: before[0].indexedAt })
    const { collections } = body(await server.get('com.core.repo.describeRepo', { repo: alice.did }))
    expect(collections).toEqual(['app.bsky.feed.like'])
  })

  test('and is moved there and back in one call makes no commit', async () => {
    const before = await write(theirs, keys[0], 'same')
    const { repoCommit } = await status()
    const update = (collection: string, text: string) => ({
      $type: 'com.core.repo.applyWrites#update',
      ...{ collection, rkey: keys[0], value: { text, createdAt } },
    })
    const writes = [update(ours, 'other'), update(theirs, 'same')]
    expect(body(await call('applyWrites', { writes })).commit).toBeUndefined()
    expect(await status()).toMatchObject({ repoCommit })
    expect(body(await get(theirs, keys[0]))).toMatchObject(before)
  })
})

test('a collection whose authority has capital letters is rejected', async () => {
  const input = { collection: 'App.Bsky.feed.post', record: { text: '', createdAt } }
  expect(await call('createRecord', input)).toMatchObject(invalid)
})

test('a follow is undone under another name', async () => {
  const { uri } = await social.follow(alice, bob)
  const rkey = uri.split('/').at(-1)
  const viewer = async () =>
    body(await server.get('app.bsky.actor.getProfile', { actor: bob.did }, alice)).viewer
  expect((await social.list(bob)).notifications).toMatchObject([{ reason: 'follow', uri }])
  expect(await viewer()).toMatchObject({ following: uri })
  await call('deleteRecord', { collection: 'app.bsky.graph.follow', rkey })
  expect((await social.list(bob)).notifications).toEqual([])
  expect(await viewer()).not.toHaveProperty('following')
})

describe('a key that older versions stored under two names', () => {
  let older: TestServer
  let now: TestServer
  beforeEach(async () => {
    older = await TestServer.start({ aliases: new Map() })
    alice = await older.account('alice')
    for (const collection of [theirs, ours]) {
      const record = { text: collection, createdAt }
      body(await call('putRecord', { collection, rkey: keys[0], record }, older))
    }
    await older.running.close()
    const { dataDir } = older.config
    now = await TestServer.start({ dataDir, aliases: defaultConfig({ dataDir }).aliases })
  })
  afterEach(() => now.close())

  test('is read under the requested name, and listed once', async () => {
    for (const name of [theirs, ours]) {
      expect(body(await get(name, keys[0], now)).value.text).toBe(name)
      expect(await listed(name, {}, now)).toEqual([`${name}/${keys[0]}`])
    }
  })

  test.each([
    [theirs, ours],
    [ours, theirs],
  ])('%s is deleted first, then the other', async (name, other) => {
    body(await call('deleteRecord', { collection: name, rkey: keys[0] }, now))
    expect(await exported(now)).toEqual([`${other}/${keys[0]}`])
    body(await call('deleteRecord', { collection: name, rkey: keys[0] }, now))
    expect(await exported(now)).toEqual([])
  })

  test('is replaced under the requested name', async () => {
    const record = { text: 'new', createdAt }
    body(await call('putRecord', { collection: theirs, rkey: keys[0], record }, now))
    expect(body(await get(theirs, keys[0], now)).value.text).toBe('new')
    expect(body(await get(ours, keys[0], now)).value.text).toBe(ours)
    expect(await exported(now)).toHaveLength(2)
  })
})
