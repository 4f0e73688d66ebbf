/** Activity of other servers arrives by their event streams: each event once, whatever happens to the connection. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { syncEvent } from '../../../support/remote/remote-frames.ts'
import { type RemoteAccount, RemoteServer, refOf } from '../../../support/remote/remote-server.ts'
import { minute } from '../../../support/server/clock.ts'
import { adminAuth, refusal } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'
import { createdAt, type Ref, SocialServer } from '../../../support/server/social.ts'
import { until } from '../../../support/server/until.ts'

const like = 'app.bsky.feed.like'

let remote: RemoteServer
let bob: RemoteAccount
let carol: RemoteAccount
let post: Ref
/** For likes of an account that likes the first one, too: likes of the same post notify once. */
let secondPost: Ref

beforeAll(async () => {
  remote = await RemoteServer.start()
  bob = await remote.account('bob')
  carol = await remote.account('carol', 'secp256k1')
})
afterAll(() => remote.close())
setupServer({ accounts: ['alice'] })
beforeAll(async () => {
  const record = { $type: 'app.example.feed.post', text: 'Hello', createdAt }
  const input = { repo: alice.did, collection: 'app.example.feed.post', record }
  post = (await server.post('com.core.repo.createRecord', input, alice)).body
  secondPost = (await server.post('com.core.repo.createRecord', input, alice)).body
  const added = await server.post('com.core.admin.addUpstream', { url: remote.url }, adminAuth)
  expect(added.body).toMatchObject({ url: remote.url, isConfigured: false, eventsLastHour: 0 })
  await remote.connected()
})

const social = () => SocialServer.on(server)
const likePost = (author: RemoteAccount, subject = post) =>
  remote.create(author, like, { subject, createdAt })

/** Bob replies to alice, and mentions another account. */
function mention({ did, handle }: RemoteAccount): Promise<Ref> {
  const facet = {
    index: { byteStart: 0, byteEnd: handle.length },
    features: [{ $type: 'app.bsky.richtext.facet#mention', did }],
  }
  const reply = { text: handle, facets: [facet], reply: { root: post, parent: post }, createdAt }
  return remote.create(bob, 'app.bsky.feed.post', reply)
}

/** The URIs of the likes that alice is notified of, the newest first. */
async function likes(): Promise<string[]> {
  const { body } = await server.get('app.bsky.notification.listNotifications', {}, alice)
  return body.notifications.map(({ uri }: { uri: string }) => uri)
}

/** Resolves when exactly these likes are notified of. */
async function untilLikes(...expected: Ref[]): Promise<void> {
  const sorted = expected.map(({ uri }) => uri).toSorted()
  await until(server, async () => JSON.stringify((await likes()).toSorted()) === JSON.stringify(sorted))
}

async function upstream() {
  const { body } = await server.get('com.core.admin.listUpstreams', {}, adminAuth)
  return body.upstreams.find(({ url }: { url: string }) => url === remote.url)
}

const retry = () => server.post('com.core.admin.retryUpstream', { url: remote.url }, adminAuth)

/** Ends the connection, and waits for the next one. */
async function reconnect(): Promise<void> {
  const connections = remote.cursors.length
  remote.disconnect()
  await remote.connected(connections + 1)
}

test('a like notifies, and its deletion takes the notification back', async () => {
  const liked = await likePost(bob)
  await untilLikes(liked)
  expect(await upstream()).toMatchObject({
    storedLastHour: 1,
    lastEventAt: expect.any(String),
  })
  await remote.remove(bob, liked)
  await untilLikes()
})

test('a deletion counts although the like has not been stored yet', async () => {
  const fleeting = await likePost(bob)
  await remote.remove(bob, fleeting)
  const liked = await likePost(carol)
  await untilLikes(liked)
  await remote.remove(carol, liked)
  await untilLikes()
})

test('the stream continues after the last event that was read, also after a restart', async () => {
  const irrelevant = { subject: { uri: `at://${carol.did}/app.bsky.feed.post/3kaaaaaaaaaa2`, cid: post.cid } }
  await remote.create(bob, like, irrelevant)
  const first = await likePost(bob)
  await untilLikes(first)
  const read = remote.seq
  await server.running.close()
  const second = await likePost(carol)
  await server.open()
  await untilLikes(first, second)
  expect(remote.cursors.at(-1)).toBe(read)
  await remote.remove(bob, first)
  await remote.remove(carol, second)
  await untilLikes()
})

test('a profile that was only looked at has the handle that was reported since, once it is followed', async () => {
  const dora = await remote.account('dora')
  const handle = async () =>
    (await server.get('app.example.actor.getProfile', { actor: dora.did }, alice)).body.handle
  expect(await handle()).toBe('dora.test')
  await remote.changeHandle(dora, 'theodora.test')
  // It arrives later.
  const liked = await likePost(bob)
  await untilLikes(liked)
  await social().follow(alice, dora)
  await until(server, async () => (await handle()) === 'theodora.test')
  await remote.remove(bob, liked)
  await untilLikes()
})

test('events that are sent again change nothing', async () => {
  const liked = await likePost(bob)
  await untilLikes(liked)
  const [before] = await likes()
  for (const { frame } of remote.events) remote.send(frame)
  remote.onConnection = (socket) => remote.events.map(({ frame }) => socket.send(frame))
  await reconnect()
  remote.onConnection = undefined
  const next = await likePost(carol)
  await untilLikes(liked, next)
  expect(await likes()).toContain(before)
  await remote.remove(bob, liked)
  await remote.remove(carol, next)
  await untilLikes()
})

test('commits that the upstream leaves out are read from the repository', async () => {
  const { store, federation } = server.running.services
  const queued = () => store.all('SELECT did FROM repository_queue')
  // Read when the upstream was added.
  await until(server, () => queued().length === 0)
  const liked = await likePost(bob)
  const elsewhere = { uri: `at://${carol.did}/app.bsky.feed.post/3kaaaaaaaaaa2`, cid: post.cid }
  await remote.create(bob, like, { subject: elsewhere, createdAt })
  await untilLikes(liked)
  const key = `${like}/${remote.tid()}`
  await remote.commit(bob, { key, record: { $type: like, subject: { ...secondPost }, createdAt } })
  expect(queued()).toEqual([])
  await remote.create(bob, like, { subject: elsewhere, createdAt })
  await until(server, () => queued().length > 0)
  // A repository is read every ten minutes at most.
  server.clock.advance(10 * minute)
  federation.catchUp.resumeDue()
  const missed = refOf(bob, key)
  await untilLikes(liked, missed)
  await remote.remove(bob, liked)
  await remote.remove(bob, missed)
  await untilLikes()
})

test('a repository that the upstream reports without its changes is read', async () => {
  const liked = await likePost(bob)
  await untilLikes(liked)
  const key = `${like}/${remote.tid()}`
  await remote.commit(bob, { key, record: { $type: like, subject: { ...secondPost }, createdAt } })
  // A repository is read every ten minutes at most.
  server.clock.advance(10 * minute)
  await remote.sync(bob)
  const missed = refOf(bob, key)
  await untilLikes(liked, missed)
  await remote.remove(bob, liked)
  await remote.remove(bob, missed)
  await untilLikes()
})

test('what an account wrote before its server reported it arrives with the report', async () => {
  // Else a first list of all repositories has the account.
  await until(server, async () => (await upstream()).progress === undefined)
  const erin = await remote.account('erin')
  const key = `${like}/${remote.tid()}`
  await remote.commit(erin, { key, record: { $type: like, subject: { ...post }, createdAt } })
  await remote.sync(erin)
  const written = refOf(erin, key)
  await untilLikes(written)
  await remote.remove(erin, written)
  await untilLikes()
})

test('what an account wrote arrives also while its status is looked up, if only stored records of others name it', async () => {
  const frank = await remote.account('frank')
  const named = await mention(frank)
  await untilLikes(named)
  const key = `${like}/${remote.tid()}`
  await remote.commit(frank, { key, record: { $type: like, subject: { ...post }, createdAt } })
  const { head } = await remote.commit(frank)
  const block = await frank.repository.commitBlock()
  remote.setStatus(frank, undefined)
  remote.emit(syncEvent(frank.did, head.rev, block))
  const written = refOf(frank, key)
  await untilLikes(named, written)
  await remote.remove(frank, written)
  await remote.remove(bob, named)
  await untilLikes()
})

test('a server that counts its events anew is read from the beginning', async () => {
  const liked = await likePost(bob)
  await untilLikes(liked)
  // As after the restore of an early backup.
  await remote.down()
  remote.events.length = 0
  remote.seq = 2
  const missed = await likePost(carol)
  const connections = remote.cursors.length
  await remote.up()
  await until(server, async () => {
    await retry()
    return remote.cursors.length >= connections + 2
  })
  await untilLikes(liked, missed)
  expect(remote.cursors.slice(connections)).toEqual([expect.any(Number), 0])
  await remote.remove(bob, liked)
  await remote.remove(carol, missed)
  await untilLikes()
})

test('events of an author who cannot be looked up wait, in order, and delay no others', async () => {
  const dora = await remote.account('dora')
  const [path, log] = [`/${dora.did}`, `/${dora.did}/log`]
  for (const place of [path, log]) remote.replacements.set(place, (res) => res.writeHead(503).end())
  const removed = await likePost(dora)
  const kept = await likePost(dora, secondPost)
  await remote.remove(dora, removed)
  const other = await likePost(bob)
  await untilLikes(other)
  await server.restart()
  expect(await likes()).toEqual([other.uri])
  for (const place of [path, log]) remote.replacements.delete(place)
  server.clock.advance(minute)
  await retry()
  await untilLikes(other, kept)
  await remote.remove(dora, kept)
  await remote.remove(bob, other)
  await untilLikes()
})

test('what an account hosted here does is not read from another server', async () => {
  const { did } = alice
  const impostor: RemoteAccount = { ...bob, did, repository: bob.repository.fork(did) }
  remote.accounts.set(did, impostor)
  const forged = await remote.create(impostor, like, { subject: post, createdAt })
  const liked = await likePost(bob)
  await untilLikes(liked)
  const { body } = await server.get('app.bsky.feed.getLikes', { uri: post.uri })
  expect(JSON.stringify(body)).not.toContain(forged.uri)
  await remote.remove(bob, liked)
  await untilLikes()
})

test('a deactivated account is hidden, and a deleted one removed', async () => {
  const [liked, other] = [await likePost(bob), await likePost(carol)]
  await untilLikes(liked, other)
  remote.setStatus(bob, 'deactivated')
  await untilLikes(other)
  remote.setStatus(bob, undefined)
  await untilLikes(liked, other)
  remote.deleteAccount(carol)
  await untilLikes(liked)
  await remote.remove(bob, liked)
  await untilLikes()
})

test('an account that only stored records of others name is hidden when its server suspends it', async () => {
  const dave = await remote.account('dave')
  const [repo, collection] = [alice.did, 'app.example.graph.follow']
  const record = { $type: collection, subject: dave.did, createdAt }
  const { body: follow } = await server.post(
    'com.core.repo.createRecord',
    { repo, collection, record },
    alice,
  )
  const named = await mention(dave)
  await untilLikes(named)
  const isShown = async () =>
    (await server.get('app.bsky.actor.getProfile', { actor: dave.did }, alice)).status === 200
  await until(server, isShown)
  const rkey = follow.uri.split('/').at(-1)
  await server.post('com.core.repo.deleteRecord', { repo, collection, rkey }, alice)
  expect(await isShown()).toBe(true)
  remote.setStatus(dave, 'suspended')
  await until(server, async () => !(await isShown()))
  await remote.remove(bob, named)
  await untilLikes()
})

test('a server that redirects is not followed', async () => {
  const other = await RemoteServer.start()
  other.replacements.set('server.describeServer', (res) =>
    res.writeHead(302, { location: `${remote.url}/elsewhere` }).end(),
  )
  const answer = await server.post('com.core.admin.addUpstream', { url: other.url }, adminAuth)
  expect(answer).toMatchObject(refusal(400, 'NotAServer', expect.stringContaining('/elsewhere') as string))
  await other.close()
})

test('a server that was removed is no longer read; what was stored remains', async () => {
  const liked = await likePost(bob)
  await untilLikes(liked)
  const connections = remote.cursors.length
  expect(await server.post('com.core.admin.removeUpstream', { url: remote.url }, adminAuth)).toMatchObject({
    status: 200,
  })
  await expect.poll(() => remote.consumers, { interval: 10 }).toBe(0)
  expect(await upstream()).toBeUndefined()
  expect(await likes()).toEqual([liked.uri])
  await server.post('com.core.admin.addUpstream', { url: remote.url }, adminAuth)
  await remote.connected(connections + 1)
  expect(remote.cursors.at(-1)).toBeUndefined()
})

test('a server that the settings name is read until they no longer name it', async () => {
  const setUpstreams = async (...upstreams: string[]) => {
    Object.assign(server.config, { upstreams })
    await server.restart()
  }
  await setUpstreams(remote.url)
  expect(await upstream()).toMatchObject({ isConfigured: true })
  await setUpstreams()
  expect(await upstream()).toBeUndefined()
  const connections = remote.cursors.length
  await server.post('com.core.admin.addUpstream', { url: remote.url }, adminAuth)
  await remote.connected(connections + 1)
})

test('the server closes while look-ups hang', async () => {
  const erin = await remote.account('erin')
  const asked = Promise.withResolvers<void>()
  for (const path of [`/${erin.did}`, `/${erin.did}/log`])
    remote.replacements.set(path, () => asked.resolve())
  await likePost(erin)
  await asked.promise
  await server.running.close()
  await server.open()
})
