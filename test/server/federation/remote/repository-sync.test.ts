/** Repositories of other servers that are read whole, from hosts that may lie. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { P256Keypair } from '@atproto/crypto'
import { readCar } from '@atproto/repo'
import type { DidString } from '@atproto/syntax'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLimits } from '../../../../server/federation/remote/limits/limits.ts'
import {
  createRepositorySync,
  type RepositorySync,
} from '../../../../server/federation/remote/repository-sync.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { carOf, varint } from '../../../support/records/archive.ts'
import { answers, hangs } from '../../../support/remote/forgeries.ts'
import { type RemoteAccount, RemoteServer, type Respond } from '../../../support/remote/remote-server.ts'
import { addUpstream, likesOf, notificationsOf } from '../../../support/remote/remote-views.ts'
import { day } from '../../../support/server/clock.ts'
import type { Account } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'
import { createdAt, type Ref, SocialServer } from '../../../support/server/social.ts'

let host: RemoteServer
let alice: Account
let post: Ref
let reader: RepositorySync
/** Waits for a host for a second. */
let impatient: RepositorySync
let names = 0
const abort = new AbortController()

afterAll(() => host.close())
setupServer()
afterAll(() => abort.abort())
beforeAll(async () => {
  host = await RemoteServer.start({ clock: server.clock })
  await addUpstream(server, host.url)
  const { services } = server.running
  const deps = {
    ...services,
    ...services.federation,
    limits: createLimits(services),
    files: nodeFiles,
    dataDir: server.config.dataDir,
    onUnloadable: (error: Error) => expect.unreachable(error.message),
    signal: abort.signal,
  }
  reader = createRepositorySync(deps)
  impatient = createRepositorySync({ ...deps, deadlineMs: 1000 })
})
beforeEach(async () => {
  alice = await server.account(`alice${++names}`)
  post = await SocialServer.on(server).post(alice)
})

const joined = () => host.account(`bob${++names}`)
const like = (bob: RemoteAccount) => host.create(bob, 'app.bsky.feed.like', { subject: post, createdAt })
const sync = (bob: RemoteAccount, more: object = {}) =>
  reader.sync(bob.did as DidString, { via: host.url, ...more })
const downloads = () => host.calls.filter((name) => name === 'sync.getRepo').length

test('what concerns accounts here is stored, and what is recent notifies', async () => {
  const bob = await joined()
  await host.create(bob, 'app.bsky.feed.like', { subject: post, createdAt }, '3kaaaaaaaaaa2')
  await host.create(bob, 'app.bsky.feed.post', { text: 'nothing to do with anyone here', createdAt })
  await host.create(bob, 'app.bsky.actor.profile', { displayName: 'Bob' }, 'self')
  await host.create(bob, 'app.bsky.graph.follow', { subject: alice.did, createdAt })
  await sync(bob, { notifySince: server.clock.now().getTime() - day })
  expect(await notificationsOf(server, alice)).toMatchObject([{ reason: 'follow', author: { did: bob.did } }])
  expect(await likesOf(server, post.uri)).toBe(1)
  const collections = server.running.services.store.all(
    'SELECT c.nsid AS name FROM records r JOIN collections c ON c.id = r.collection JOIN actors a ON a.id = r.actor WHERE a.did = ? ORDER BY name',
    [bob.did],
  )
  expect(collections.map((row) => (row as { name: string }).name)).toEqual([
    'app.bsky.actor.profile',
    'app.bsky.feed.like',
    'app.bsky.graph.follow',
  ])
})

test('a repository that has not changed is not read again', async () => {
  const bob = await joined()
  await like(bob)
  const before = downloads()
  await sync(bob)
  await sync(bob)
  await Promise.all([sync(bob), sync(bob)])
  expect(downloads()).toBe(before + 1)
  await host.create(bob, 'app.bsky.feed.post', { text: 'nothing to do with anyone here', createdAt })
  await sync(bob, { changedSince: server.clock.now().getTime() + day })
  expect(downloads()).toBe(before + 1)
  await sync(bob)
  expect(downloads()).toBe(before + 2)
  expect(await notificationsOf(server, alice)).toHaveLength(1)
})

test('what a repository no longer has is deleted, and the rest stays', async () => {
  const bob = await joined()
  const first = await like(bob)
  const follow = await host.create(bob, 'app.bsky.graph.follow', { subject: alice.did, createdAt })
  await sync(bob)
  expect(await notificationsOf(server, alice)).toHaveLength(2)
  await host.remove(bob, first)
  await sync(bob)
  expect(await notificationsOf(server, alice)).toMatchObject([{ reason: 'follow', uri: follow.uri }])
  expect(await likesOf(server, post.uri)).toBe(0)
})

test.each(['deactivated', 'suspended', 'takendown'])(
  'an actor whose repository is %s is hidden until it is active again',
  async (status) => {
    const bob = await joined()
    await like(bob)
    await sync(bob)
    host.setStatus(bob, status)
    await sync(bob)
    expect(await notificationsOf(server, alice)).toEqual([])
    host.setStatus(bob, undefined)
    await sync(bob)
    expect(await notificationsOf(server, alice)).toHaveLength(1)
  },
)

test('an actor whose repository is deactivated is hidden although its identity is no longer found', async () => {
  const bob = await joined()
  await like(bob)
  await sync(bob)
  host.replacements.set('sync.getLatestCommit', async (res, req) => {
    // As an `#identity` event does.
    host.replacements.set(`/${bob.did}/log`, answers({}, 404))
    await server.running.services.federation.actors.forget(bob.did)
    await answers({ error: 'RepoDeactivated' }, 400)(res, req)
  })
  await sync(bob)
  host.replacements.clear()
  expect(await notificationsOf(server, alice)).toEqual([])
})

/** Changes the bytes of the next repositories that the host sends. */
const sending =
  (change: (archive: Buffer, bob: RemoteAccount) => Promise<Uint8Array> | Uint8Array) =>
  (bob: RemoteAccount): Respond =>
  async (res) =>
    res.end(await change(Buffer.from(await bob.repository.archive()), bob))

async function forkOf(bob: RemoteAccount, key = bob.key, did = bob.did): Promise<Uint8Array> {
  const fork = bob.repository.fork(did)
  await fork.commit(
    [{ key: 'app.bsky.feed.like/3kbbbbbbbbbb2', record: { subject: { ...post } } }],
    key,
    host.tid(),
  )
  return fork.archive()
}

const attacks: Record<string, (bob: RemoteAccount) => Respond> = {
  'signed by another key': sending(async (_, bob) => forkOf(bob, await P256Keypair.create())),
  'of another actor': sending((_, bob) => forkOf(bob, bob.key, alice.did)),
  'cut in a block': sending((archive) => archive.subarray(0, -7)),
  'without the blocks of its records': sending(async (archive, bob) => {
    const blocks = [...(await readCar(archive)).blocks.entries()]
    const records = new Set([...bob.repository.records.values()].map(({ cid }) => String(cid)))
    const rest = blocks.filter(({ cid }) => !records.has(String(cid)))
    return carOf(
      rest.map(({ cid, bytes }) => ({ cid, bytes })),
      bob.repository.head?.cid,
    )
  }),
  'that announces a block of a gigabyte': sending((archive) =>
    Buffer.concat([archive, varint(1e9), Buffer.alloc(100)]),
  ),
  'that is said to have 300 MB': () => (res) =>
    res.writeHead(200, { 'content-length': 300_000_000 }).flushHeaders(),
  'that never arrives': () => hangs,
  'elsewhere, in the network of this server': () => (res) =>
    res.writeHead(302, { location: `${server.url}/` }).end(),
  'that is a page': () => (res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
}

test.each(Object.entries(attacks))('a repository %s changes nothing', async (_, attack) => {
  const bob = await joined()
  await like(bob)
  host.replacements.set('sync.getRepo', attack(bob))
  await expect(impatient.sync(bob.did as DidString, { via: host.url })).rejects.toMatchObject({
    name: expect.stringMatching(/^(InvalidProof|OutboundFailed)$/),
  })
  host.replacements.delete('sync.getRepo')
  expect(await notificationsOf(server, alice)).toEqual([])
  expect(await readdir(join(server.config.dataDir, 'imports'))).toEqual([])
  await sync(bob)
  expect(await notificationsOf(server, alice)).toHaveLength(1)
})

test('an earlier state of a repository changes nothing', async () => {
  const bob = await joined()
  const earlier = await bob.repository.archive()
  await like(bob)
  await sync(bob)
  await like(bob)
  host.replacements.set('sync.getRepo', (res) => res.end(earlier))
  await expect(sync(bob)).rejects.toThrow('older revision')
  host.replacements.delete('sync.getRepo')
  expect(await notificationsOf(server, alice)).toHaveLength(1)
})

test('repositories of accounts here, and those that are elsewhere than expected, are not read', async () => {
  const bob = await joined()
  await reader.sync(alice.did as DidString, { via: host.url })
  const before = downloads()
  await sync(bob, { hostedAt: 'https://elsewhere.example' })
  expect(downloads()).toBe(before)
})
