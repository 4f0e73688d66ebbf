/** Servers that send false, broken or too many events: none of them counts, and true ones still do. */
import { P256Keypair } from '@atproto/crypto'
import type { DidString } from '@atproto/syntax'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  answers,
  brokenMessages,
  type Forgery,
  forgedCommits,
  forgedDeletion,
  hangs,
  redirects,
  sendsForever,
} from '../../../support/remote/forgeries.ts'
import { RemoteAuthor } from '../../../support/remote/remote-author.ts'
import {
  accountEvent,
  commitEvent,
  errorFrame,
  identityEvent,
  type RemoteEvent,
} from '../../../support/remote/remote-frames.ts'
import { type RemoteAccount, RemoteServer } from '../../../support/remote/remote-server.ts'
import { day, hour, minute } from '../../../support/server/clock.ts'
import { type Account, adminAuth } from '../../../support/server/server.ts'
import { server, setupServer, social } from '../../../support/server/setup.ts'
import { body, createdAt, type Ref } from '../../../support/server/social.ts'
import { until } from '../../../support/server/until.ts'
import { json, StubService } from '../../../support/services/stub-service.ts'

const likes = 'app.bsky.feed.like'
const posts = 'app.bsky.feed.post'
const follows = 'app.bsky.graph.follow'

let remote: RemoteServer
let bob: RemoteAccount
let names = 0
let alice: Account
let post: Ref

setupServer({ config: { logLevel: 'warn' }, accounts: ['first'] })
beforeEach(async () => {
  alice = await server.account(`alice${++names}`)
  post = await social.post(alice)
})

/** A server with an account `bob`, whose stream is read. */
function setupRemote(): void {
  beforeAll(async () => {
    remote = await connectedServer()
    bob = await join(remote, 'bob')
    // Until its repositories have been read, which takes back what they do not have.
    await vi.waitFor(async () => expect((await stateOf(remote)).state).toBe('live'), 60_000)
  })
  afterAll(() => remote.close())
}

async function connectedServer(): Promise<RemoteServer> {
  const remote = await RemoteServer.start({ clock: server.clock })
  await follow(remote)
  await remote.connected()
  return remote
}

async function follow({ url }: RemoteServer): Promise<void> {
  body(await server.post('com.core.admin.addUpstream', { url }, adminAuth))
}

const like = () => ({ $type: likes, subject: { ...post }, createdAt })

/** The notifications of alice, newest first: `like by bob`. */
async function listed(): Promise<string[]> {
  const { notifications } = await social.list(alice)
  return notifications.map(
    ({ author, reason }: { author: { did: string }; reason: string }) =>
      `${reason} by ${people.get(author.did)}`,
  )
}

/** Resolves when the notifications of alice are these, newest first. */
async function aliceGets(...expected: readonly string[]): Promise<void> {
  await expect.poll(listed, { interval: 10 }).toEqual(expected)
}

/** Names of the accounts of other servers, by DID. */
const people = new Map<string, string>()

async function join(server: RemoteServer, name: string, curve?: 'secp256k1'): Promise<RemoteAccount> {
  const account = await server.account(name, curve)
  people.set(account.did, name)
  return account
}

/** The server's description of an upstream. */
async function stateOf({ url }: RemoteServer) {
  const { upstreams } = body(await server.get('com.core.admin.listUpstreams', {}, adminAuth))
  return upstreams.find((upstream: { url: string }) => upstream.url === url)
}

/** Creates an account whose like alice has got. */
async function liker(server: RemoteServer): Promise<RemoteAccount> {
  const dave = await join(server, 'dave')
  await server.create(dave, likes, like())
  await aliceGets('like by dave')
  return dave
}

/** Commits a follow of alice, which the server of the account does not report. */
async function unreportedFollow(server: RemoteServer, account: RemoteAccount): Promise<RemoteEvent> {
  const record = { $type: follows, subject: alice.did, createdAt }
  return commitEvent(account.did, await server.commit(account, { key: `${follows}/${server.tid()}`, record }))
}

/** How many events of an account wait for another server. */
function queuedOf({ did }: RemoteAccount): number {
  return server.running.services.store.all('SELECT 1 FROM upstream_queue WHERE did = ?', [did]).length
}

const failures = () => server.logged.filter((line) => line.includes('processing of an event failed'))

/** Resolves when an upstream is no longer read, and returns why. */
async function cutOff(upstream: RemoteServer): Promise<string> {
  await expect.poll(async () => (await stateOf(upstream)).state, { interval: 10 }).toBe('cutOff')
  expect(server.logged.some((line) => line.includes(upstream.url))).toBe(true)
  return (await stateOf(upstream)).error
}

describe('false events', () => {
  setupRemote()

  test.for(Object.entries(forgedCommits))('a commit %s does not count', async ([, forge]) => {
    const forgery: Forgery = { server: remote, author: bob, key: `${likes}/${remote.tid()}`, record: like() }
    remote.emit(await forge(forgery))
    await remote.create(bob, follows, { subject: alice.did, createdAt })
    await aliceGets('follow by bob')
  })

  test('a deletion of a record that still exists does not count', async () => {
    const { uri } = await remote.create(bob, likes, like())
    await aliceGets('like by bob')
    remote.emit(await forgedDeletion(remote, bob, uri.split('/').slice(3).join('/')))
    await remote.create(bob, follows, { subject: alice.did, createdAt })
    await aliceGets('follow by bob', 'like by bob')
  })

  test('events of accounts that live here are ignored', async () => {
    const other = await server.account(`other${names}`)
    const key = await P256Keypair.create()
    const author: RemoteAccount = { ...bob, did: other.did, key, repository: bob.repository.fork(other.did) }
    const write = { key: `${likes}/${remote.tid()}`, record: like() }
    remote.emit(await commitEvent(other.did, await remote.commit(author, write)))
    remote.emit(identityEvent(other.did, 'first.test'))
    for (const status of ['takendown', 'deleted']) remote.emit(accountEvent(other.did, status))
    await remote.create(bob, likes, like())
    await aliceGets('like by bob')
    const profile = await server.get('app.example.actor.getProfile', { actor: other.handle }, alice)
    expect(profile).toMatchObject({ status: 200, body: { did: other.did } })
  })

  test('another server cannot report that an account was deleted', async () => {
    const relay = await connectedServer()
    await remote.create(bob, likes, like())
    await aliceGets('like by bob')
    for (const status of ['suspended', 'deleted']) relay.emit(accountEvent(bob.did, status))
    const carol = await join(relay, 'carol')
    await relay.create(carol, likes, like())
    await aliceGets('like by carol', 'like by bob')
    await relay.close()
  })

  test('a status that the host of an account refuses to confirm is ignored, and holds up no other event', async () => {
    const relay = await connectedServer()
    const dave = await liker(remote)
    remote.replacements.set('sync.getRepoStatus', answers({ error: 'InvalidRequest' }, 400))
    relay.emit(accountEvent(dave.did, 'deactivated'))
    relay.emit(await unreportedFollow(remote, dave))
    await aliceGets('follow by dave', 'like by dave')
    expect(failures()).toEqual([])
    remote.replacements.clear()
    await relay.close()
  })

  test('a status whose host answers with a server error counts when the host confirms it', async () => {
    const relay = await connectedServer()
    const dave = await liker(remote)
    remote.replacements.set('sync.getRepoStatus', answers({ error: 'InternalServerError' }, 500))
    dave.status = 'deactivated'
    relay.emit(accountEvent(dave.did, 'deactivated'))
    await until(server, () => queuedOf(dave) > 0)
    expect(await listed()).toEqual(['like by dave'])
    remote.replacements.clear()
    body(await server.post('com.core.admin.retryUpstream', { url: relay.url }, adminAuth))
    await aliceGets()
    await relay.close()
  })

  test('a status whose host has a private address, and is no upstream, is ignored', async () => {
    const [home, relay] = [await connectedServer(), await connectedServer()]
    const dave = await liker(home)
    await server.running.services.background.idle()
    body(await server.post('com.core.admin.removeUpstream', { url: home.url }, adminAuth))
    const before = home.calls.length
    relay.emit(accountEvent(dave.did, 'deactivated'))
    relay.emit(await unreportedFollow(home, dave))
    await aliceGets('follow by dave', 'like by dave')
    expect(home.calls.slice(before)).toEqual([])
    expect(failures()).toEqual([])
    await Promise.all([home.close(), relay.close()])
  })

  test('a server that copies an account cannot report its end while its server is away', async () => {
    const [home, copy] = [await connectedServer(), await connectedServer()]
    const dave = await liker(home)
    copy.accounts.set(dave.did, { ...dave })
    await home.down()
    copy.emit(identityEvent(dave.did, dave.handle))
    copy.emit(accountEvent(dave.did, 'deleted'))
    const eve = await join(copy, 'eve')
    await copy.create(eve, likes, like())
    await aliceGets('like by eve', 'like by dave')
    await copy.close()
  })

  test('repeated events, and those that arrive in another order, count once', async () => {
    const key = `${likes}/${remote.tid()}`
    const created = await commitEvent(bob.did, await remote.commit(bob, { key, record: like() }))
    const deleted = await commitEvent(bob.did, await remote.commit(bob, { key }))
    for (const event of [deleted, created, deleted, created]) remote.emit(event)
    await remote.create(bob, likes, like())
    remote.send(remote.events.at(-1)?.frame ?? '')
    await remote.create(bob, follows, { subject: alice.did, createdAt })
    await aliceGets('follow by bob', 'like by bob')
  })

  test('deep records and numbers that JSON does not have harm nothing', async () => {
    let deep: object = {}
    for (let depth = 0; depth < 300; depth++) deep = { deep }
    const records = [
      { ...like(), deep },
      { ...like(), number: Number.MAX_SAFE_INTEGER, subject: { uri: post.uri, cid: 1 } },
      { ...like(), subject: [post.uri] },
      { ...like(), createdAt: 'x'.repeat(100_000) },
    ]
    for (const record of records) await remote.create(bob, likes, record)
    await remote.create(bob, follows, { subject: alice.did, createdAt })
    await expect.poll(listed, { interval: 10 }).toContain('follow by bob')
    expect(await server.get('app.example.feed.getLikes', { uri: post.uri }, alice)).toMatchObject({
      status: 200,
    })
  })
})

describe('broken streams', () => {
  let upstream: RemoteServer
  let carol: RemoteAccount
  beforeEach(async () => {
    upstream = await connectedServer()
    carol = await join(upstream, 'carol')
  })
  afterEach(async () => {
    await server.post('com.core.admin.removeUpstream', { url: upstream.url }, adminAuth)
    await upstream.close()
  })

  const retry = async () =>
    body(await server.post('com.core.admin.retryUpstream', { url: upstream.url }, adminAuth))

  test.for(Object.entries(brokenMessages))(
    '%s cuts the upstream off until it is retried',
    async ([, message]) => {
      upstream.send(message())
      expect(await cutOff(upstream)).not.toBe('')
      await upstream.create(carol, likes, like())
      await retry()
      await aliceGets('like by carol')
    },
  )

  test('a cut-off ends by the time of day: timers stand still while a computer sleeps', async () => {
    const retryInMs = async () => Date.parse((await stateOf(upstream)).retryAt) - server.clock.now().getTime()
    upstream.send(errorFrame('').subarray(0, 1))
    await cutOff(upstream)
    expect(await retryInMs()).toBeLessThanOrEqual(hour)
    const years = 7 * 365 * day
    server.clock.advance(-years)
    expect(await retryInMs()).toBeLessThanOrEqual(hour)
    server.clock.advance(years + 61 * minute)
    expect(await retryInMs()).toBeGreaterThan(-minute)
    server.running.services.federation.upstreams.resumeDue()
    await expect.poll(async () => (await stateOf(upstream)).state, { interval: 10 }).toBe('live')
  })

  test('after a sleep of the computer it is connected at once, but not one that was cut off', async () => {
    const connections = upstream.cursors.length
    const stateNow = async () => (await stateOf(upstream)).state
    upstream.disconnect()
    await expect.poll(stateNow, { interval: 10 }).toBe('waiting')
    server.running.wake()
    // At once: the pause would be half a second at least.
    expect(await stateNow()).not.toBe('waiting')
    await upstream.connected(connections + 1)
    await expect.poll(stateNow, { interval: 10 }).toBe('live')
    upstream.send(errorFrame('').subarray(0, 1))
    await cutOff(upstream)
    server.running.wake()
    expect(await stateNow()).toBe('cutOff')
    expect(upstream.cursors.length).toBe(connections + 1)
  })

  test('twenty commits with wrong signatures cut the upstream off', async () => {
    const forge = forgedCommits['signed by another key']
    for (let count = 0; count < 20; count++) {
      const key = `${likes}/${upstream.tid()}`
      const event = await forge?.({ server: upstream, author: carol, key, record: like() })
      if (event) upstream.emit(event)
    }
    expect(await cutOff(upstream)).toContain('signed')
    expect(await listed()).toEqual([])
  })

  test('twenty commits of a known author that state no operations cut the upstream off', async () => {
    await upstream.create(carol, likes, like())
    await aliceGets('like by carol')
    const write = {
      key: `${posts}/${upstream.tid()}`,
      record: { $type: posts, text: 'elsewhere', createdAt },
    }
    const event = await commitEvent(carol.did, await upstream.commit(carol, write), { ops: null })
    for (let count = 0; count < 20; count++) upstream.emit(event)
    expect(await cutOff(upstream)).toContain('signed')
  })

  test('an error message ends the connection until the next one', async () => {
    upstream.send(errorFrame('ConsumerTooSlow'))
    const reason = 'The server ended the stream: ConsumerTooSlow'
    const isLogged = () => server.logged.some((line) => line.includes(upstream.url) && line.includes(reason))
    await expect.poll(isLogged, { interval: 10 }).toBe(true)
    await upstream.create(carol, likes, like())
    await retry()
    await aliceGets('like by carol')
  })

  test('likes beyond the budget of their author are refused before they are verified', async () => {
    const author = new RemoteAuthor(server, carol.did as DidString)
    const many = Array.from({ length: 301 }, () => author.change(likes, { subject: { ...post } }))
    expect(await author.apply(await Promise.all(many))).toMatchObject({ stored: 300, overBudget: 1 })
    const forgery = { server: upstream, author: carol, key: `${likes}/${upstream.tid()}`, record: like() }
    const event = await forgedCommits['signed by another key']?.(forgery)
    for (let count = 0; event && count < 20; count++) upstream.emit(event)
    const dropped = async () => (await stateOf(upstream)).dropped
    await expect.poll(dropped, { interval: 10 }).toEqual({ lastHour: 20, lastDay: 20, toFetch: 20 })
    const queued = 'SELECT due_at > ? + 3000000 AS isLater FROM repository_queue WHERE did = ?'
    const now = server.clock.now().getTime()
    expect(server.running.services.store.all(queued, [now, carol.did])).toEqual([{ isLater: 1 }])
    upstream.deleteAccount(carol)
    await aliceGets()
    expect((await stateOf(upstream)).state).toBe('live')
  })

  test('a flood of events about accounts here cuts the upstream off, while others are served', async () => {
    const key = `${likes}/${upstream.tid()}`
    const event = await commitEvent(carol.did, await upstream.commit(carol, { key, record: like() }))
    for (let count = 0; count < 5000; count++) upstream.emit(event)
    expect(await server.get('com.core.server.getSession', {}, alice)).toMatchObject({ status: 200 })
    await cutOff(upstream)
    expect(await social.unread(alice)).toBeLessThanOrEqual(1)
  })

  test('a stream that was restored from a backup is read from its beginning', async () => {
    await upstream.create(carol, likes, like())
    await aliceGets('like by carol')
    const replayed = upstream.events.splice(0)
    upstream.seq = 0
    upstream.disconnect()
    for (const { frame } of replayed.slice(0, 2))
      upstream.events.push({ seq: ++upstream.seq, did: '', frame })
    await upstream.create(carol, follows, { subject: alice.did, createdAt })
    await retry()
    await aliceGets('follow by carol', 'like by carol')
  })

  test('events that the upstream no longer keeps are read from the repositories', async () => {
    await upstream.create(carol, likes, like())
    await aliceGets('like by carol')
    upstream.disconnect()
    await upstream.create(carol, follows, { subject: alice.did, createdAt })
    const dave = await join(upstream, 'dave', 'secp256k1')
    await upstream.create(dave, likes, like())
    upstream.forget()
    await retry()
    await expect
      .poll(async () => (await listed()).sort(), { interval: 10 })
      .toEqual(['follow by carol', 'like by carol', 'like by dave'])
  })
})

describe('servers that do not say who their accounts are', () => {
  setupRemote()
  let elsewhere: StubService
  beforeAll(async () => {
    elsewhere = await StubService.start()
    elsewhere.respond = json({})
  })
  afterAll(() => elsewhere.close())

  test.for([
    ['hangs', () => hangs],
    ['redirects', () => redirects(elsewhere.url)],
    ['sends without an end', () => sendsForever],
    ['has the operations of another account', () => answers(bob.operations)],
    ['has no operations', () => answers([])],
  ] as const)(
    'one that %s: its events do not count, and hold up no others',
    async ([, respond], { task }) => {
      const mallory = await remote.account(`mallory${task.id.slice(-1)}`)
      for (const path of ['', '/log', '/log/last', '/data']) {
        remote.replacements.set(`/${mallory.did}${path}`, respond())
      }
      await remote.create(mallory, likes, like())
      await remote.called(`/${mallory.did}/log`)
      await remote.create(bob, likes, like())
      await aliceGets('like by bob')
      await remote.create(bob, follows, { subject: alice.did, createdAt })
      await aliceGets('follow by bob', 'like by bob')
      expect(elsewhere.calls).toEqual([])
      remote.deleteAccount(mallory)
    },
  )

  test('an identity that cannot be looked up now delays the events of its account, in their order', async () => {
    const carol = await join(remote, 'carol')
    const unavailable = answers({}, 503)
    for (const path of ['', '/log']) remote.replacements.set(`/${carol.did}${path}`, unavailable)
    const { uri } = await remote.create(carol, likes, like())
    await remote.create(carol, follows, { subject: alice.did, createdAt })
    await remote.remove(carol, { uri })
    await remote.create(bob, likes, like())
    await aliceGets('like by bob')
    remote.replacements.clear()
    body(await server.post('com.core.admin.retryUpstream', { url: remote.url }, adminAuth))
    await aliceGets('follow by carol', 'like by bob')
  })
})
