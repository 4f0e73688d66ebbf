/** Records are stored under the names of the network, and found under ours, too. */
import { readCar, verifyRepoCar } from '@atproto/repo'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defaultConfig } from '../../../../server/platform/config/config.ts'
import * as repos from '../../../../server/repository/tables/repos.ts'
import * as accounts from '../../../../server/store/tables/accounts.ts'
import { type Account, TestServer } from '../../../support/server/server.ts'
import { server, setupServer, social } from '../../../support/server/setup.ts'
import { body, createdAt, type Ref, SocialServer } from '../../../support/server/social.ts'
import { mentionsOf } from '../../../support/store/scan.ts'

const ours = 'app.example.feed.post'
const theirs = 'app.bsky.feed.post'
const invalid = { status: 400, body: { error: 'InvalidRequest' } }
const notFound = { status: 400, body: { error: 'RecordNotFound' } }

/** Each test has its own accounts. */
let alice: Account
let bob: Account
let names = 0
const keys = ['3kaaaaaaaaaa2', '3kaaaaaaaaaa3', '3kaaaaaaaaaa4', '3kaaaaaaaaaa5', '3kaaaaaaaaaa6'] as const

setupServer()
beforeEach(async () => {
  alice = await server.account(`alice-${names++}`)
  bob = await server.account(`bob-${names}`)
})

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
  test.each([
    [theirs, ours],
    [ours, theirs],
  ])(
    'getRecord finds a record of %s also under %s, with the requested name in URI and $type',
    async (written, other) => {
      const { uri, cid } = await write(written, keys[0])
      for (const name of [written, other]) {
        const expected = { uri: uri.replace(written, name), cid, value: { $type: name, text: keys[0] } }
        expect(body(await get(name, keys[0]))).toMatchObject(expected)
      }
      expect(await exported()).toEqual([`${theirs}/${keys[0]}`])
    },
  )

  test('listRecords lists records of both names in the order of the keys, in pages in both directions', async () => {
    for (const [at, rkey] of keys.entries()) await write(at % 2 ? ours : theirs, rkey)
    for (const name of [theirs, ours]) {
      const all = keys.map((rkey) => `${name}/${rkey}`)
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

  test('describeRepo names a collection as the caller does', async () => {
    const collections = async (authority: string) =>
      body(await server.get(`${authority}.repo.describeRepo`, { repo: alice.did })).collections
    await write(theirs, keys[0])
    await write(ours, keys[1])
    await social.write(alice, 'org.example.thing', {})
    expect(await collections('com.atproto')).toEqual([theirs, 'org.example.thing'])
    expect(await collections('com.core')).toEqual([ours, 'org.example.thing'])
  })
})

describe('a key that exists under another name', () => {
  test('cannot be created again', async () => {
    await write(theirs, keys[0])
    const value = { text: 'twice', createdAt }
    const input = { collection: ours, rkey: keys[0] }
    expect(await call('createRecord', { ...input, record: value })).toMatchObject(invalid)
    const create = { $type: 'com.core.repo.applyWrites#create', ...input, value }
    expect(await call('applyWrites', { writes: [create] })).toMatchObject(invalid)
    expect(body(await get(ours, keys[0])).value.text).toBe(keys[0])
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

  test.each(['putRecord', 'applyWrites'])('is replaced by %s', async (method) => {
    await write(theirs, keys[0], 'before')
    await write(theirs, keys[1], 'stays')
    const key = { collection: ours, rkey: keys[0] }
    const record = { text: 'after', createdAt }
    const update = { $type: 'com.core.repo.applyWrites#update', ...key, value: record }
    const input = method === 'putRecord' ? { ...key, record } : { writes: [update] }
    const { commit } = body(await call(method, input))
    expect(await status()).toMatchObject({ repoCommit: commit.cid, indexedRecords: 2 })
    expect(await exported()).toEqual([`${theirs}/${keys[0]}`, `${theirs}/${keys[1]}`])
    for (const name of [theirs, ours]) {
      const expected = { uri: `at://${alice.did}/${name}/${keys[0]}`, value: { $type: name, text: 'after' } }
      expect(body(await get(name, keys[0]))).toMatchObject(expected)
    }
  })

  test('keeps its notification when it is replaced', async () => {
    const post = await social.post(bob)
    const like = await social.like(alice, post)
    const before = (await social.list(bob)).notifications
    expect(before[0]).toMatchObject({ reason: 'like', uri: like.uri, reasonSubject: post.uri })
    const record = { subject: post, createdAt }
    const replaced = await social.put(alice, 'app.bsky.feed.like', like.uri.split('/').at(-1) ?? '', record)
    expect(replaced.cid).toBe(like.cid)
    expect((await social.list(bob)).notifications).toEqual(before)
  })

  test('and is changed there and back in one call makes no commit', async () => {
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
  expect(await viewer()).toMatchObject({ following: uri.replace('app.example', 'app.bsky') })
  await call('deleteRecord', { collection: 'app.bsky.graph.follow', rkey })
  expect((await social.list(bob)).notifications).toEqual([])
  expect(await viewer()).not.toHaveProperty('following')
})

describe('records that a server without aliases stored under our names', () => {
  let older: TestServer
  let now: TestServer
  let written: Record<'post' | 'both' | 'reply' | 'like', Ref>
  const atUri = `at://did:web:a.test/${ours}/1`

  /** Answers of methods under our names. */
  async function answers(on: TestServer) {
    const names = { notifications: 'notification.listNotifications', bookmarks: 'bookmark.getBookmarks' }
    const params = { uri: written.post.uri, anchor: written.post.uri }
    const read = async (nsid: string, more: Record<string, string> = {}, by = alice) =>
      body(await on.get(`app.example.${nsid}`, more, by))
    return {
      notifications: (await read(names.notifications)).notifications,
      bookmarks: (await read(names.bookmarks)).bookmarks,
      thread: (await read('feed.getPostThread', { uri: params.uri })).thread,
      likes: (await read('feed.getLikes', { uri: params.uri })).likes,
      following: (await read('actor.getProfile', { actor: alice.did }, bob)).viewer.following,
    }
  }

  beforeEach(async () => {
    older = await TestServer.start({ aliases: new Map() })
    const before = SocialServer.on(older)
    alice = await older.account('alice')
    bob = await older.account('bob')
    const post = await before.post(alice, { text: atUri })
    const both = await before.put(alice, ours, keys[0], { text: ours, createdAt })
    await before.put(alice, theirs, keys[0], { text: theirs, createdAt })
    await before.follow(bob, alice)
    written = { post, both, reply: await before.reply(bob, post), like: await before.like(bob, post) }
    body(await older.post('app.example.bookmark.createBookmark', { ...post }, alice))
  })
  afterEach(() => now.close())

  async function restart(): Promise<void> {
    const { dataDir } = older.config
    await older.running.close()
    now = await TestServer.start({ dataDir, aliases: defaultConfig({ dataDir }).aliases })
  }

  test('are renamed in one commit, and callers under our names notice nothing but the CIDs', async () => {
    const before = await answers(older)
    expect(before.notifications).toHaveLength(3)
    await restart()
    const [, , , , rkey] = written.post.uri.split('/')
    expect(await exported(now)).toEqual([`${theirs}/${keys[0]}`, `${theirs}/${rkey}`].toSorted())
    const withoutCids = (value: unknown) => JSON.stringify(value).replace(/baf\w+/g, 'cid')
    expect(withoutCids(await answers(now))).toBe(withoutCids(before))
    const stored = body(await get(theirs, rkey as string, now))
    expect(stored.value).toEqual({ $type: theirs, text: atUri, createdAt })
  })

  test('emit a commit, and none at the next start', async () => {
    const headOf = (on: TestServer) => repos.findHead(on.running.services.store, alice.did)?.commit
    const first = headOf(older)
    await restart()
    const renamed = headOf(now)
    expect(renamed).not.toBe(first)
    await now.restart()
    expect(headOf(now)).toBe(renamed)
    const store = now.running.services.store
    expect(store.all("SELECT nsid FROM collections WHERE nsid LIKE 'app.example.%'")).toEqual([])
    expect(store.all("SELECT did FROM events WHERE kind = 'commit' AND did = ?", [alice.did])).toHaveLength(5)
  })

  test('leave no name of ours in a column', async () => {
    const subject = { $type: 'com.core.repo.strongRef', ...written.post }
    const report = { reasonType: 'com.core.moderation.defs#reasonSpam', subject }
    body(await older.post('com.core.moderation.createReport', report, bob))
    await restart()
    const columns = mentionsOf(now.running.services.store, 'app.example.')
      .map((mention) => mention.split(':')[0] ?? '')
      // Texts of persons, and events as they were sent.
      .filter((column) => column !== 'records.bytes' && column !== 'events.frame')
    expect([...new Set(columns)]).toEqual([])
    const { reports } = body(await now.get('com.core.admin.listReports', {}, alice))
    expect(reports).toMatchObject([{ subject: { uri: written.post.uri } }])
  })

  test('of a deactivated account are renamed, too', async () => {
    body(await older.post('com.core.server.deactivateAccount', {}, alice))
    await restart()
    body(await now.post('com.core.server.activateAccount', undefined, alice))
    expect(await listed(theirs, {}, now)).toHaveLength(2)
  })

  test('are renamed in several commits if they are many', async () => {
    const writes = Array.from({ length: 200 }, (_, n) => ({
      $type: 'com.core.repo.applyWrites#create',
      ...{ collection: ours, rkey: `key-${n}`, value: { text: `${n}`, createdAt } },
    }))
    body(await call('applyWrites', { writes, validate: false }, older))
    await restart()
    const collections = (await exported(now)).map((key) => key.split('/')[0])
    expect(collections).toEqual(Array.from({ length: 202 }, () => theirs))
    const { store } = now.running.services
    expect(store.all("SELECT 1 FROM events WHERE kind = 'commit' AND did = ?", [alice.did])).toHaveLength(8)
  })

  test('count references under both names', async () => {
    const subject = { ...written.post, uri: written.post.uri.replace(ours, theirs) }
    const carol = await older.account('carol')
    await SocialServer.on(older).like(carol, subject)
    await restart()
    const { likes } = await answers(now)
    expect(likes.map(({ actor }: { actor: { did: string } }) => actor.did)).toEqual([carol.did, bob.did])
  })

  test('under both names stay under the name of the network', async () => {
    await restart()
    for (const name of [theirs, ours]) {
      expect(body(await get(name, keys[0], now)).value).toMatchObject({ $type: name, text: theirs })
    }
  })
})

test('a text that is an AT URI is not renamed', async () => {
  const text = `at://${alice.did}/${ours}/${keys[0]}`
  const external = { uri: text, title: text, description: '' }
  const embed = { $type: 'app.example.embed.external', external }
  const { uri } = await social.post(alice, { text, embed })
  const value = body(await get(theirs, uri.split('/').at(-1) ?? '')).value
  expect(value).toMatchObject({ text, embed: { $type: 'app.bsky.embed.external', external } })
})

test('a record is the same under both names', async () => {
  const parent = await write(theirs, keys[0])
  const asOurs = { uri: parent.uri.replace(theirs, ours), cid: parent.cid }
  const reply = (ref: Ref) => ({ text: 'Same', createdAt, reply: { root: ref, parent: ref } })
  const one = await social.put(alice, ours, keys[1], reply(asOurs))
  const other = await social.put(alice, theirs, keys[1], reply(parent))
  expect(other).toEqual({ uri: one.uri.replace(ours, theirs), cid: one.cid })
  expect(body(await get(theirs, keys[1])).value).toMatchObject(reply(parent))
  expect(body(await get(ours, keys[1])).value).toMatchObject(reply(asOurs))
})
