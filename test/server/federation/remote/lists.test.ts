/** Lists of other servers by which accounts here mute or block: read with their items, and kept up to date. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RemoteAccount, RemoteServer } from '../../../support/remote/remote-server.ts'
import { day } from '../../../support/server/clock.ts'
import { type Account, adminAuth, refusal, TestServer } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer, social } from '../../../support/server/setup.ts'
import { body, createdAt, type Ref, SocialServer } from '../../../support/server/social.ts'
import { until } from '../../../support/server/until.ts'

const graph = 'app.bsky.graph'

let remote: RemoteServer
let bob: RemoteAccount
let carla: RemoteAccount
let dan: RemoteAccount
let post: Ref
let list: Ref
let item: Ref
let names = 0

setupServer({ accounts: ['alice'] })
beforeAll(async () => {
  remote = await RemoteServer.start({ clock: server.clock })
  body(await server.post('com.core.admin.addUpstream', { url: remote.url }, adminAuth))
  await remote.connected()
})
afterAll(() => remote.close())
beforeEach(async () => {
  const join = (name: string) => remote.account(`${name}${names}`)
  names++
  ;[bob, carla, dan] = [await join('bob'), await join('carla'), await join('dan')]
  post = await social.post(alice)
  list = await newList()
  item = await add(carla)
})

const newList = () => {
  const record = { name: 'Noise', purpose: `${graph}.defs#modlist`, createdAt }
  return remote.create(bob, `${graph}.list`, record)
}
const add = (member: { readonly did: string }, to = list) =>
  remote.create(bob, `${graph}.listitem`, { list: to.uri, subject: member.did, createdAt })
const mute = (muted = list) => server.post(`${graph}.muteActorList`, { list: muted.uri }, alice)
const unmute = () => server.post(`${graph}.unmuteActorList`, { list: list.uri }, alice)

/** Likes the post of alice, and waits until that is stored. */
async function like(author: RemoteAccount): Promise<void> {
  const { uri } = await remote.create(author, 'app.bsky.feed.like', { subject: post, createdAt })
  await until(server, () => stored('feed.like').includes(uri))
}

/** URIs of the stored records of a kind. */
const stored = (kind: string): string[] =>
  server.running.services.store
    .all<{ uri: string }>(
      `SELECT 'at://' || a.did || '/' || c.nsid || '/' || r.rkey AS uri
       FROM records r JOIN actors a ON a.id = r.actor JOIN collections c ON c.id = r.collection WHERE c.name = ?`,
      [kind],
    )
    .map(({ uri }) => uri)

const viewerOf = async (actor: { readonly did: string }) =>
  body(await server.get('app.bsky.actor.getProfile', { actor: actor.did }, alice)).viewer
const authors = async () =>
  body(await server.get('app.bsky.notification.listNotifications', {}, alice)).notifications.map(
    ({ author }: { author: { did: string } }) => author.did,
  )
const isMuted = async (author: RemoteAccount) => !(await authors()).includes(author.did)

test('a muted list: its items are read, later ones arrive, and removed ones no longer apply', async () => {
  const unused = await add(dan, await newList())
  await like(carla)
  await like(dan)
  expect([await isMuted(carla), await isMuted(dan)]).toEqual([false, false])
  body(await mute())
  await until(server, () => isMuted(carla))
  expect(await viewerOf(carla)).toMatchObject({ muted: true, mutedByList: { uri: list.uri, name: 'Noise' } })
  expect(await isMuted(dan)).toBe(false)
  expect(stored('graph.listitem')).not.toContain(unused.uri)
  const { items } = body(await server.get(`${graph}.getList`, { list: list.uri }, alice))
  expect(items).toMatchObject([{ subject: { did: carla.did } }])

  await add(dan)
  await until(server, () => isMuted(dan))
  await remote.remove(bob, item)
  await until(server, async () => !(await isMuted(carla)))
  body(await unmute())
  expect(await isMuted(dan)).toBe(false)
})

test('a blocked list: its items are read, also if its repository was read before', async () => {
  await like(carla)
  body(await server.post('com.atproto.repo.createRecord', followOf(bob), alice))
  await server.running.services.federation.repositorySync.sync(bob.did as never, { via: remote.url })
  await server.running.services.background.idle()
  expect(stored('graph.listitem')).not.toContain(item.uri)
  await social.write(alice, `${graph}.listblock`, { subject: list.uri, createdAt })
  await until(server, () => isMuted(carla))
  expect(await viewerOf(carla)).toMatchObject({ blockingByList: { uri: list.uri } })
})

const followOf = ({ did }: RemoteAccount) => ({
  ...{ repo: alice.did, collection: `${graph}.follow` },
  record: { $type: `${graph}.follow`, subject: did, createdAt },
})

test('an item of another author has no effect', async () => {
  body(await mute())
  await until(server, () => stored('graph.listitem').includes(item.uri))
  await like(dan)
  const record = { list: list.uri, subject: dan.did, createdAt }
  await remote.create(carla, `${graph}.listitem`, record)
  await add(dan, await newList())
  const later = await add(bob)
  await until(server, () => stored('graph.listitem').includes(later.uri))
  expect(await isMuted(dan)).toBe(false)
})

test('items stay while the list is used, and are evicted later', async () => {
  const { intake } = server.running.services.federation
  body(await mute())
  await until(server, () => stored('graph.listitem').includes(item.uri))
  await server.elapse(100 * day)
  await intake.deleteOutdated()
  expect(stored('graph.listitem')).toContain(item.uri)
  Object.assign(alice, (await server.signIn(alice)).body)
  body(await unmute())
  await server.elapse(100 * day)
  await intake.deleteOutdated()
  expect(stored('graph.listitem')).not.toContain(item.uri)
  expect(stored('graph.list')).not.toContain(list.uri)
  Object.assign(alice, (await server.signIn(alice)).body)
})

test('a server that follows no other refuses to mute by a list of another', async () => {
  const alone = await TestServer.start()
  const erin: Account = await alone.account('erin')
  const ask = (uri: string) => alone.post(`${graph}.muteActorList`, { list: uri }, erin)
  expect(await ask(list.uri)).toMatchObject(refusal(400, 'ListNotAvailable'))
  const own = await SocialServer.on(alone).write(erin, `${graph}.list`, {
    ...{ name: 'Noise', purpose: `${graph}.defs#modlist`, createdAt },
  })
  expect((await ask(own.uri)).status).toBe(200)
  await alone.close()
})
