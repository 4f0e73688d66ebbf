/**
 * A server that copies the operations and records of an account, which no directory has, and so counts as its host until the real one
 * is followed.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { answers } from '../../../support/remote/forgeries.ts'
import { accountEvent, commitEvent } from '../../../support/remote/remote-frames.ts'
import { type RemoteAccount, RemoteServer } from '../../../support/remote/remote-server.ts'
import { type Account, adminAuth } from '../../../support/server/server.ts'
import { server, setupServer, social } from '../../../support/server/setup.ts'
import { body, createdAt } from '../../../support/server/social.ts'

const likes = 'app.bsky.feed.like'
const follows = 'app.bsky.graph.follow'

let alice: Account
/** The host of dave. */
let home: RemoteServer
let copy: RemoteServer
let dave: RemoteAccount
/** As the copy has the account. */
let copied: RemoteAccount
let names = 0

setupServer()

/** dave likes a post of alice, which the copy reports first: so it counts as his host. */
beforeEach(async () => {
  alice = await server.account(`alice${++names}`)
  const post = await social.post(alice)
  home = await RemoteServer.start({ clock: server.clock })
  copy = await RemoteServer.start({ clock: server.clock })
  dave = await home.account('dave')
  copied = { ...dave }
  copy.accounts.set(dave.did, copied)
  await follow(copy)
  const key = `${likes}/${home.tid()}`
  const commit = await home.write(dave, { key, record: { $type: likes, subject: { ...post }, createdAt } })
  copy.emit(await commitEvent(dave.did, commit))
  await aliceGets('like')
  expect(await hostOfDave()).toBe(copy.url)
})
afterEach(async () => {
  for (const { url } of [copy, home]) await server.post('com.core.admin.removeUpstream', { url }, adminAuth)
  await Promise.all([copy.close(), home.close()])
})

/** Resolves when the repositories of a server have been read, too. */
async function follow(upstream: RemoteServer): Promise<void> {
  const { url } = upstream
  body(await server.post('com.core.admin.addUpstream', { url }, adminAuth))
  const state = async () => {
    const { upstreams } = body(await server.get('com.core.admin.listUpstreams', {}, adminAuth))
    return upstreams.find((one: { url: string }) => one.url === url).state
  }
  await expect.poll(state, { interval: 10 }).toBe('live')
}

/** Resolves when these are the reasons of all notifications of alice, sorted. */
async function aliceGets(...reasons: readonly string[]): Promise<void> {
  const listed = async () =>
    (await social.list(alice)).notifications.map(({ reason }: { reason: string }) => reason).sort()
  await expect.poll(listed, { interval: 10 }).toEqual(reasons)
}

async function hostOfDave(): Promise<string> {
  const { actors } = body(await server.get('com.core.actor.describeActors', { dids: [dave.did] }, alice))
  return actors[0].host
}

test.each(['deactivated', 'takendown', 'deleted'])(
  'an account that another server serves as active is not %s',
  async (status) => {
    await follow(home)
    copy.setStatus(copied, status)
    await expect.poll(hostOfDave, { interval: 10 }).toBe(home.url)
    await home.create(dave, follows, { subject: alice.did, createdAt })
    await aliceGets('follow', 'like')
  },
)

test('an account that was deactivated is active again when its host is followed', async () => {
  copy.setStatus(copied, 'deactivated')
  await aliceGets()
  await follow(home)
  await aliceGets('like')
  expect(await hostOfDave()).toBe(home.url)
})

test('an account that its host reports as active is', async () => {
  await follow(home)
  home.replacements.set('sync.getRepoStatus', answers({}, 503))
  copy.setStatus(copied, 'deactivated')
  await aliceGets()
  home.replacements.clear()
  home.emit(accountEvent(dave.did, undefined))
  await aliceGets('like')
  expect(await hostOfDave()).toBe(home.url)
})

test('a later commit makes an account active whose host was away, and what was deleted is read again', async () => {
  const like = home.events.at(-1)?.frame ?? ''
  await social.follow(alice, dave)
  await follow(home)
  home.replacements.set('sync.getRepoStatus', answers({}, 503))
  copy.setStatus(copied, 'deleted')
  await aliceGets()
  // The like is from before that.
  copy.send(like)
  const eve = await copy.account('eve')
  await copy.create(eve, follows, { subject: alice.did, createdAt })
  await aliceGets('follow')
  home.replacements.clear()
  await home.create(dave, follows, { subject: alice.did, createdAt })
  await aliceGets('follow', 'follow')
  server.running.services.federation.catchUp.resumeDue()
  await aliceGets('follow', 'follow', 'like')
})

test('a server without the operations of an account cannot report that it is active', async () => {
  const relay = await RemoteServer.start({ clock: server.clock })
  relay.replacements.set('sync.getRepoStatus', answers({ did: dave.did, active: true }))
  await follow(relay)
  copy.setStatus(copied, 'deactivated')
  await relay.called('sync.getRepoStatus')
  await aliceGets()
  await server.post('com.core.admin.removeUpstream', { url: relay.url }, adminAuth)
  await relay.close()
})
