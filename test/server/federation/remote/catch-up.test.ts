/** What event streams did not report: gaps, missing subjects of records here, deletions. */
import type { DidString } from '@atproto/syntax'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRecheck } from '../../../../server/federation/remote/recheck.ts'
import { answers, hangs } from '../../../support/remote/forgeries.ts'
import { RemoteAuthor } from '../../../support/remote/remote-author.ts'
import { type RemoteAccount, RemoteServer } from '../../../support/remote/remote-server.ts'
import { addUpstream, likesOf, notificationsOf } from '../../../support/remote/remote-views.ts'
import { day, hour, minute } from '../../../support/server/clock.ts'
import { type Account, adminAuth, TestServer } from '../../../support/server/server.ts'
import { server, setupServer, social } from '../../../support/server/setup.ts'
import { createdAt, type Ref, SocialServer } from '../../../support/server/social.ts'

let alice: Account
let post: Ref
/** A server that is an upstream of none of the other tests. */
let host: RemoteServer
let names = 0

setupServer()
beforeEach(async () => {
  host = await RemoteServer.start({ clock: server.clock })
  await addUpstream(server, host.url)
  alice = await server.account(`alice${++names}`)
  post = await social.post(alice)
  return () => host.close()
})

const joined = () => host.account(`bob${++names}`)
const like = (bob: RemoteAccount) => host.create(bob, 'app.bsky.feed.like', { subject: post, createdAt })
const services = () => server.running.services
/** Reasons and authors of alice's notifications, in no order. */
const seen = async () =>
  (await notificationsOf(server, alice)).map(({ reason, author }) => `${reason} ${author.did}`).sort()
const downloads = () => host.calls.filter((name) => name === 'sync.getRepo').length
const now = () => server.clock.now().getTime()

async function onGap(since?: number): Promise<void> {
  await services().federation.catchUp.onGap(host.url, since)
  await services().background.idle()
}

/** Runs the periodic jobs of this room. */
async function resume(): Promise<void> {
  services().federation.catchUp.resumeDue()
  services().federation.wantedRecords.resumeDue()
  await services().background.idle()
}

describe('after a gap in the events of an upstream', () => {
  test('the repositories of a new one are read', async () => {
    const [bob, carla] = [await joined(), await joined()]
    await like(bob)
    await host.create(carla, 'app.bsky.graph.follow', { subject: alice.did, createdAt })
    await onGap()
    expect(await seen()).toEqual([`follow ${carla.did}`, `like ${bob.did}`])
    expect(services().federation.catchUp.progress(host.url)).toBeUndefined()
    await onGap()
    expect(downloads()).toBe(2)
  })

  test('those that have changed since are read, and what is older does not notify', async () => {
    const [bob, carla] = [await joined(), await joined()]
    await host.create(bob, 'app.bsky.feed.like', { subject: post }, '3kaaaaaaaaaa2')
    await like(carla)
    const since = now() + 2 * hour
    server.clock.advance(3 * hour)
    await host.create(bob, 'app.bsky.feed.repost', { subject: post, createdAt })
    await onGap(since)
    expect(await notificationsOf(server, await renewed())).toMatchObject([{ reason: 'repost' }])
    expect(await likesOf(server, post.uri)).toBe(1)
    expect(downloads()).toBe(1)
  })

  test('what was purged is stored again, and does not notify again', async () => {
    const [bob, carla] = [await joined(), await joined()]
    await like(bob)
    await onGap()
    await social.call('updateSeen', { seenAt: server.clock.now().toISOString() }, alice)
    await server.post('com.core.admin.purgeRemoteRecords', undefined, adminAuth)
    await services().background.idle()
    expect([await likesOf(server, post.uri), await seen()]).toEqual([0, []])
    await server.restart()
    await like(carla)
    await onGap(now() - hour)
    expect(await likesOf(server, post.uri)).toBe(2)
    expect((await notificationsOf(server, await renewed())).map(({ author }) => author.did)).toEqual([
      carla.did,
    ])
  })

  test('a repository that fails is retried, and does not stop the others', async () => {
    const [bob, carla] = [await joined(), await joined()]
    await like(bob)
    await like(carla)
    let isBroken = true
    const { repository } = bob
    const archive = repository.archive.bind(repository)
    repository.archive = async () => (isBroken ? (await archive()).subarray(0, -1) : archive())
    await onGap()
    expect(await seen()).toEqual([`like ${carla.did}`])
    expect(services().federation.catchUp.progress(host.url)).toEqual({ done: 1, total: 2 })
    await resume()
    expect(downloads()).toBe(2)
    isBroken = false
    server.clock.advance(minute)
    await resume()
    expect((await seen()).length).toBe(2)
    expect(services().federation.catchUp.progress(host.url)).toBeUndefined()
  })

  test('it goes on after a restart', async () => {
    const bob = await joined()
    await like(bob)
    host.replacements.set('sync.listRepos', hangs)
    await services().federation.catchUp.onGap(host.url, undefined)
    await host.called('sync.listRepos')
    await server.restart()
    host.replacements.clear()
    await resume()
    expect(await seen()).toEqual([`like ${bob.did}`])
  })

  test('a further gap while repositories are listed lists them again', async () => {
    const waiting = Promise.withResolvers<void>()
    host.replacements.set('sync.listRepos', async (res) => {
      host.replacements.clear()
      await waiting.promise
      res.end('{"repos":[]}')
    })
    await services().federation.catchUp.onGap(host.url, undefined)
    await host.called('sync.listRepos')
    const bob = await joined()
    await like(bob)
    await services().federation.catchUp.onGap(host.url, undefined)
    waiting.resolve()
    await services().background.idle()
    expect(await seen()).toEqual([`like ${bob.did}`])
  })

  test('accounts that were deleted meanwhile are removed, and accounts here are not touched', async () => {
    const bob = await joined()
    await like(bob)
    await onGap()
    expect(await seen()).toHaveLength(1)
    host.accounts.delete(bob.did)
    const repos = [{ did: alice.did, rev: host.tid(), head: 'x', active: false, status: 'deleted' }]
    host.replacements.set('sync.listRepos', answers({ repos }))
    await onGap(now())
    for (let attempts = 0; attempts < 8; attempts++) {
      server.clock.advance(6 * hour)
      await resume()
    }
    expect(await notificationsOf(server, await renewed())).toEqual([])
    expect(await likesOf(server, post.uri)).toBe(0)
  })

  test('of a relay only actors that concern accounts here are read', async () => {
    const [bob, carla] = [await joined(), await joined()]
    await like(bob)
    await onGap()
    await like(bob)
    await like(carla)
    const repos = Array.from({ length: 400 }, (_, i) => ({
      did: `did:web:a${i}.example`,
      rev: host.tid(),
      head: 'x',
    }))
    host.replacements.set('sync.listRepos', answers({ repos, cursor: 'more' }))
    const before = downloads()
    await onGap(now())
    expect(downloads()).toBe(before + 1)
    expect(await likesOf(server, post.uri)).toBe(1)
  })

  test('repositories that another server hosts are not read for an upstream that lists them', async () => {
    const elsewhere = await RemoteServer.start({ clock: server.clock })
    await addUpstream(server, elsewhere.url)
    const carla = await elsewhere.account(`carla${++names}`)
    await elsewhere.create(carla, 'app.bsky.feed.like', { subject: post, createdAt })
    host.replacements.set(
      'sync.listRepos',
      answers({ repos: [{ did: carla.did, rev: host.tid(), head: 'x' }] }),
    )
    await onGap()
    expect(elsewhere.calls).not.toContain('sync.getRepo')
    await elsewhere.close()
  })
})

test('a repository that an upstream reports without changes is read, at most every ten minutes', async () => {
  const [bob, carla] = [await joined(), await joined()]
  await like(bob)
  await onGap()
  const report = async ({ did }: RemoteAccount) => {
    await services().federation.catchUp.onIncomplete(did as DidString, host.url)
    await services().background.idle()
  }
  server.clock.advance(11 * minute)
  await host.create(bob, 'app.bsky.graph.follow', { subject: alice.did, createdAt })
  const before = downloads()
  await report(bob)
  expect(await seen()).toHaveLength(2)
  await host.create(bob, 'app.bsky.feed.repost', { subject: post, createdAt })
  await report(bob)
  expect(downloads()).toBe(before + 1)
  server.clock.advance(11 * minute)
  await resume()
  expect(await seen()).toHaveLength(3)
  await like(carla)
  // Its author concerns no account here yet.
  await report(carla)
  expect(await seen()).toHaveLength(4)
})

test('while the clock is years ahead, new records of a repository that is read notify', async () => {
  const bob = await joined()
  await like(bob)
  await onGap()
  await host.create(bob, 'app.bsky.graph.follow', { subject: alice.did, createdAt })
  server.clock.advance(1000 * day)
  await services().federation.catchUp.onIncomplete(bob.did as DidString, host.url)
  await services().background.idle()
  server.clock.advance(-1000 * day)
  expect(await seen()).toEqual([`follow ${bob.did}`, `like ${bob.did}`])
})

test('a new upstream notifies, although the clock is years ahead', async () => {
  await like(await joined())
  server.clock.advance(1000 * day)
  await onGap()
  server.clock.advance(-1000 * day)
  expect(await seen()).toHaveLength(1)
})

test('an account that is active again after its deletion notifies, although the clock is years ahead', async () => {
  const bob = await joined()
  const { setStatus } = services().federation.intake
  await social.write(alice, 'app.bsky.graph.follow', { subject: bob.did, createdAt })
  await like(bob)
  await onGap()
  await setStatus(bob.did, 'deleted')
  await host.create(bob, 'app.bsky.graph.follow', { subject: alice.did, createdAt })
  server.clock.advance(1000 * day)
  await setStatus(bob.did, undefined)
  await resume()
  server.clock.advance(-1000 * day)
  expect(await seen()).toEqual([`follow ${bob.did}`, `like ${bob.did}`])
})

test('a repository that an upstream reports again and again is queued once', async () => {
  const bob = await joined()
  await like(bob)
  await onGap()
  const versions = () => services().store.all('SELECT version FROM repository_queue WHERE did = ?', [bob.did])
  const report = () => services().federation.catchUp.onIncomplete(bob.did as DidString, host.url)
  for (let n = 0; n < 50; n++) await report()
  expect(versions()).toEqual([{ version: 0 }])
  server.clock.advance(11 * minute)
  host.replacements.set('sync.getLatestCommit', hangs)
  services().federation.catchUp.resumeDue()
  await host.called('sync.getLatestCommit', 2)
  for (let n = 0; n < 50; n++) await report()
  expect(versions()).toEqual([{ version: 1 }])
  host.replacements.clear()
  host.disconnect()
})

/** The session of alice after hours. */
async function renewed(): Promise<Account> {
  const { body } = await server.signIn(alice)
  alice = { ...alice, ...body }
  return alice
}

describe('what records here refer to is fetched', () => {
  const ofBob = (bob: RemoteAccount, text: string) =>
    host.create(bob, 'app.bsky.feed.post', { text, createdAt })

  test('a post that is replied to, quoted, liked or reposted', async () => {
    const bob = await joined()
    const root = await ofBob(bob, 'root')
    const parent = await host.create(bob, 'app.bsky.feed.post', {
      text: 'parent',
      createdAt,
      reply: { root, parent: root },
    })
    const liked = await ofBob(bob, 'liked')
    const quoted = await ofBob(bob, 'quoted')
    const reply = await social.post(alice, { reply: { root, parent } })
    await social.write(alice, 'app.bsky.feed.like', { subject: liked, createdAt })
    await social.post(alice, { embed: { $type: 'app.example.embed.record', record: quoted } })
    await services().background.idle()
    const uris = [root, parent, liked, quoted].map(({ uri }) => uri)
    const { body } = await server.get('app.bsky.feed.getPosts', { uris }, alice)
    expect(body.posts.map((view: { record: { text: string } }) => view.record.text)).toEqual([
      'root',
      'parent',
      'liked',
      'quoted',
    ])
    const thread = await server.get('app.bsky.feed.getPostThread', { uri: reply.uri }, alice)
    expect(thread.body.thread.parent.post.record.text).toBe('parent')
    expect(await seen()).toEqual([])
  })

  test('when its host is back', async () => {
    const bob = await joined()
    const root = await ofBob(bob, 'later')
    await services().federation.actors.identify(bob.did, { via: host.url })
    await host.down()
    await social.post(alice, { reply: { root, parent: root } })
    await services().background.idle()
    await host.up()
    server.clock.advance(minute)
    await resume()
    const { body } = await server.get('app.bsky.feed.getPosts', { uris: [root.uri] })
    expect(body.posts).toHaveLength(1)
  })

  test('the latest posts of an actor who is followed, in the timeline', async () => {
    const bob = await joined()
    for (let i = 0; i < 30; i++) await ofBob(bob, `post ${i}`)
    await social.write(alice, 'app.bsky.graph.follow', {
      subject: bob.did,
      createdAt: new Date(now()).toISOString(),
    })
    host.replacements.set('sync.getRecord', (res) => {
      host.replacements.clear()
      res.destroy()
    })
    await services().background.idle()
    server.clock.advance(minute)
    await resume()
    const { body } = await server.get('app.bsky.feed.getTimeline', { limit: '100' }, alice)
    const texts = body.feed.map((item: { post: { record: { text: string } } }) => item.post.record.text)
    expect(texts.filter((text: string) => text.startsWith('post'))).toEqual(
      Array.from({ length: 25 }, (_, i) => `post ${29 - i}`),
    )
    expect(await seen()).toEqual([])
  })

  test('what an actor who is followed reposts and quotes', async () => {
    const [bob, carla] = [await joined(), await joined()]
    const [reposted, quoted] = [await ofBob(carla, 'reposted'), await ofBob(carla, 'quoted')]
    await social.write(alice, 'app.bsky.graph.follow', { subject: bob.did, createdAt })
    const author = new RemoteAuthor(server, bob.did as DidString)
    await author.write('app.bsky.feed.repost', { subject: reposted })
    await author.post('quoting', { embed: { $type: 'app.bsky.embed.record', record: quoted } })
    await resume()
    const { body } = await server.get('app.bsky.feed.getTimeline', {}, alice)
    expect(body.feed.slice(0, 2)).toMatchObject([
      { post: { record: { text: 'quoting' }, embed: { record: { value: { text: 'quoted' } } } } },
      { post: { record: { text: 'reposted' } }, reason: { by: { did: bob.did } } },
    ])
    await services().federation.intake.deleteOutdated()
    expect((await server.get('app.bsky.feed.getPosts', { uris: [reposted.uri] })).body.posts).toHaveLength(1)
  })

  test('but nothing while no source is switched on', async () => {
    const offline = await TestServer.start()
    const dan = await offline.account('dan')
    const bob = await joined()
    const root = await ofBob(bob, 'unread')
    const { calls } = host
    const before = calls.length
    await SocialServer.on(offline).post(dan, { reply: { root, parent: root } })
    await SocialServer.on(offline).write(dan, 'app.bsky.graph.follow', { subject: bob.did, createdAt })
    await offline.running.services.background.idle()
    expect(calls.length).toBe(before)
    expect(offline.running.services.store.all('SELECT * FROM wanted_records')).toEqual([])
    await offline.close()
  })
})

test('notified records are compared with their host once a day, and deleted with it', async () => {
  const [bob, carla] = [await joined(), await joined()]
  const first = await like(bob)
  await like(carla)
  await onGap()
  expect(await seen()).toHaveLength(2)
  const recheck = createRecheck({
    ...services(),
    ...services().federation,
    isOn: () => true,
    signal: new AbortController().signal,
  })
  await recheck.checkDue()
  const checks = () => host.calls.filter((name) => name === 'sync.getRecord').length
  const before = checks()
  await host.remove(bob, first)
  await recheck.checkDue()
  expect(checks()).toBe(before)
  server.clock.advance(day)
  await recheck.checkDue()
  expect(await notificationsOf(server, await renewed())).toMatchObject([{ author: { did: carla.did } }])
})
