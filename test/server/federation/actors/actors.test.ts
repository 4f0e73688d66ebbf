/** Actors of other servers as clients see them: handles, profiles, search, follows. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { PlcDirectory } from '../../../support/accounts/plc.ts'
import { RemoteAuthor } from '../../../support/remote/remote-author.ts'
import { type RemoteAccount, RemoteServer } from '../../../support/remote/remote-server.ts'
import { addUpstream } from '../../../support/remote/remote-views.ts'
import { hour } from '../../../support/server/clock.ts'
import { type Account, adminAuth, refusal, TestServer } from '../../../support/server/server.ts'
import { SocialServer } from '../../../support/server/social.ts'

let here: TestServer
let there: RemoteServer
let social: SocialServer
let alice: Account
beforeAll(async () => {
  here = await TestServer.start()
  there = await RemoteServer.start()
  social = SocialServer.on(here)
  alice = await here.account('alice')
  await addUpstream(here, there.url)
})
afterAll(async () => {
  await here.close()
  await there.close()
})

const settled = () => here.running.services.background.idle()
const getProfile = (actor: string, viewer = alice) =>
  here.get('app.example.actor.getProfile', { actor }, viewer)
const handleOf = async ({ did }: { did: string }) => (await getProfile(did)).body.handle
const resolved = (handle: string, viewer?: Account) =>
  here.get('com.core.identity.resolveHandle', { handle }, viewer)
const describeActors = async (...dids: string[]) =>
  (await here.get('com.core.actor.describeActors', { dids }, alice)).body.actors

/** The handle that is shown if another actor has `<name>.test`. */
const otherHandle = (name: string) => `${name}.${new URL(there.url).host.replace(/[.:]/g, '-')}.test`

/** Creates an account elsewhere with a display name, and follows it. */
async function followed(name: string): Promise<RemoteAccount> {
  const account = await there.account(name)
  await rename(account, `${name} Elsewhere`)
  await social.follow(alice, account)
  await settled()
  return account
}

const rename = (account: RemoteAccount, displayName: string) =>
  there.write(account, {
    key: 'app.bsky.actor.profile/self',
    record: { $type: 'app.bsky.actor.profile', displayName },
  })

describe('an account elsewhere that is followed', () => {
  test('is shown with its handle and profile, and found by both', async () => {
    const bob = await followed('bob')
    const { body } = await here.get('app.example.graph.getFollows', { actor: alice.did }, alice)
    expect(body.follows[0]).toMatchObject({ handle: 'bob.test', displayName: 'bob Elsewhere' })
    expect((await getProfile('bob.test')).body).toMatchObject({
      did: bob.did,
      displayName: 'bob Elsewhere',
      viewer: { following: expect.any(String) },
    })
    for (const q of ['bo', 'elsew']) {
      for (const nsid of ['app.example.actor.searchActors', 'app.example.actor.searchActorsTypeahead']) {
        const { actors } = (await here.get(nsid, { q }, alice)).body
        expect(actors, `${nsid} ${q}`).toMatchObject([{ did: bob.did }])
      }
    }
    expect(await here.get('app.example.feed.getAuthorFeed', { actor: 'bob.test' }, alice)).toMatchObject({
      status: 200,
      body: { feed: [] },
    })
    expect((await resolved('bob.test')).body).toEqual({ did: bob.did })
    expect(await describeActors(bob.did, alice.did, 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa')).toEqual([
      {
        ...{ did: bob.did, handle: 'bob.test', isLocal: false, host: there.url },
        refreshedAt: expect.any(String),
      },
      { did: alice.did, handle: 'alice.test', isLocal: true },
    ])
  })

  test('is refreshed a day later, when it is shown', async () => {
    const bella = await followed('bella')
    const viewer = await here.account('viewer')
    await rename(bella, 'Renamed')
    await there.changeHandle(bella, 'isabella.test')
    // Fresh identities are not read again.
    await getProfile(bella.did, viewer)
    await settled()
    expect((await getProfile(bella.did, viewer)).body).toMatchObject({ displayName: 'bella Elsewhere' })
    here.clock.advance(25 * hour)
    const session = { ...viewer, ...(await here.signIn(viewer)).body }
    await getProfile(bella.did, session)
    await settled()
    expect((await getProfile('isabella.test', session)).body).toMatchObject({ displayName: 'Renamed' })
    alice = { ...alice, ...(await here.signIn(alice)).body }
  })

  test('is refreshed at once when its server reports another handle', async () => {
    const bert = await followed('bert')
    await there.changeHandle(bert, 'berta.test')
    await here.running.services.federation.actors.forget(bert.did)
    await settled()
    expect(await handleOf(bert)).toBe('berta.test')
  })

  test('that is deactivated is found to be when it is refreshed', async () => {
    const carl = await there.account('carl')
    there.setStatus(carl, 'deactivated')
    await social.follow(alice, carl)
    await settled()
    expect(await describeActors(carl.did)).toMatchObject([{ did: carl.did, status: 'deactivated' }])
    expect(await getProfile(carl.did)).toMatchObject(refusal(400, 'ProfileNotFound'))
  })

  test('and to whose posts an account subscribes is listed with its profile; a wrong DID breaks nothing', async () => {
    const dora = await there.account('dora')
    await rename(dora, 'Dora')
    // Without a profile, and looked at before.
    const dan = await there.account('dan')
    expect(await handleOf(dan)).toBe('dan.test')
    const wrong = { did: 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb' }
    for (const subject of [wrong, dora, dan]) await social.subscribe(alice, subject, true, false)
    await settled()
    const { body } = await here.get('app.example.notification.listActivitySubscriptions', {}, alice)
    expect(body.subscriptions).toMatchObject([
      { did: dan.did, handle: 'dan.test' },
      { did: dora.did, handle: 'dora.test', displayName: 'Dora' },
      { did: wrong.did, handle: 'handle.invalid' },
    ])
    await social.follow(alice, wrong)
    await settled()
    expect(await describeActors(wrong.did)).toEqual([
      { did: wrong.did, handle: 'handle.invalid', isLocal: false },
    ])
  })
})

describe('a handle', () => {
  test('that an account here has is shown for that one alone, in every view', async () => {
    const other = await followed('alice')
    expect(await handleOf(alice)).toBe('alice.test')
    expect(await handleOf(other)).toBe(otherHandle('alice'))
    expect((await getProfile('alice.test')).body.did).toBe(alice.did)
    expect((await getProfile(otherHandle('alice'))).body.did).toBe(other.did)
    expect((await resolved('alice.test')).body.did).toBe(alice.did)
    expect((await resolved(otherHandle('alice'))).body.did).toBe(other.did)
    const { actors } = (await here.get('app.example.actor.searchActors', { q: 'alice.' }, alice)).body
    expect(new Set(actors.map(({ handle }: { handle: string }) => handle))).toEqual(
      new Set(['alice.test', otherHandle('alice')]),
    )
  })

  test('changes when an account here takes it, and comes back when that one leaves it', async () => {
    const emil = await followed('emil')
    expect(await handleOf(emil)).toBe('emil.test')
    const local = await here.account('emil')
    expect(await handleOf(emil)).toBe(otherHandle('emil'))
    await here.post('com.core.identity.updateHandle', { handle: 'emilio.test' }, local)
    expect(await handleOf(emil)).toBe('emil.test')
    await here.post('com.core.identity.updateHandle', { handle: 'emil.test' }, local)
    expect(await handleOf(emil)).toBe(otherHandle('emil'))
    await here.setStatus(local.did, { takedown: true })
    expect(await handleOf(emil)).toBe(otherHandle('emil'))
    expect((await getProfile('emil.test')).body.error).toBe('AccountTakedown')
    await here.post('com.core.admin.deleteAccount', { did: local.did }, adminAuth)
    expect(await handleOf(emil)).toBe('emil.test')
  })

  test('that two accounts elsewhere have is shown for the first; the other follows when it is free', async () => {
    const second = await RemoteServer.start()
    await addUpstream(here, second.url)
    const fay = await followed('fay')
    const copy = await second.account('fay')
    await social.follow(alice, copy)
    await settled()
    expect(await handleOf(fay)).toBe('fay.test')
    expect(await handleOf(copy)).toBe(`fay.${new URL(second.url).host.replace(/[.:]/g, '-')}.test`)
    await there.changeHandle(fay, 'fay-moved.test')
    await here.running.services.federation.actors.forget(fay.did)
    await settled()
    expect(await handleOf(fay)).toBe('fay-moved.test')
    expect(await handleOf(copy)).toBe('fay.test')
    await second.close()
  })

  test('that its server does not confirm, or that only a domain could confirm, is not shown', async () => {
    const liar = await there.account('liar')
    await there.changeHandle(liar, 'bob.test')
    await social.follow(alice, liar)
    const domain = await there.account('domain')
    await there.changeHandle(domain, 'www.example.com')
    await social.follow(alice, domain)
    await settled()
    expect(await handleOf(liar)).toBe('handle.invalid')
    expect(await handleOf(domain)).toBe('handle.invalid')
  })
})

describe('an account elsewhere that nothing here refers to', () => {
  test('is found by DID and handle, shown with its profile, and can be followed', async () => {
    const gil = await there.account('gil')
    await rename(gil, 'Gil')
    const anonymous = await here.get('app.example.actor.getProfile', { actor: 'gil.test' })
    expect(anonymous).toMatchObject(refusal(400, 'ProfileNotFound'))
    const found = await getProfile('gil.test')
    expect(found).toMatchObject({
      status: 200,
      body: { did: gil.did, handle: 'gil.test', displayName: 'Gil' },
    })
    expect(found.body.viewer).toEqual({ muted: false, blockedBy: false })
    const ofActor = ['getFollowers', 'getFollows', 'getKnownFollowers', 'getLists', 'getActorStarterPacks']
    for (const nsid of [
      'feed.getAuthorFeed',
      'feed.getActorFeeds',
      ...ofActor.map((name) => `graph.${name}`),
    ]) {
      const answer = await here.get(`app.example.${nsid}`, { actor: gil.did }, alice)
      expect(answer, nsid).toMatchObject({ status: 200 })
    }
    const relations = { actor: alice.did, others: [gil.did] }
    expect(await here.get('app.example.graph.getRelationships', relations, alice)).toMatchObject({
      status: 200,
    })
    const profiles = await here.get('app.example.actor.getProfiles', { actors: [gil.did, 'bob.test'] }, alice)
    expect(profiles.body.profiles).toHaveLength(2)
    // It is in memory alone.
    expect(await describeActors(gil.did)).toEqual([])
    await social.follow(alice, gil)
    await settled()
    expect((await getProfile(gil.did)).body).toMatchObject({
      displayName: 'Gil',
      viewer: { following: expect.any(String) },
    })
  })

  test('resolves for accounts here, not for other servers that ask', async () => {
    const hal = await there.account('hal')
    expect(await resolved('hal.test')).toMatchObject(refusal(400, 'HandleNotFound'))
    expect((await resolved('hal.test', alice)).body).toEqual({ did: hal.did })
    expect((await resolved(otherHandle('hal'), alice)).body).toEqual({ did: hal.did })
    expect(await resolved('none-there.test', alice)).toMatchObject(refusal(400, 'HandleNotFound'))
  })

  test('is not looked up while no source is switched on', async () => {
    const directory = await PlcDirectory.start()
    const off = await TestServer.start({ plcUrl: directory.url, allowPrivateTargets: true })
    const viewer = await off.account('viewer')
    const ivy = await there.account('ivy')
    await directory.submit(ivy.did, ivy.identity.genesis)
    const calls = there.calls.length
    for (const actor of [ivy.did, 'ivy.test']) {
      const answer = await off.get('app.example.actor.getProfile', { actor }, viewer)
      expect(answer).toMatchObject(refusal(400, 'ProfileNotFound'))
    }
    await SocialServer.on(off).follow(viewer, ivy)
    await off.get('app.example.graph.getFollows', { actor: viewer.did }, viewer)
    await off.running.services.background.idle()
    expect(directory.requests.filter((request) => request.includes(ivy.did))).toEqual([])
    expect(there.calls).toHaveLength(calls)
    await off.close()
    await directory.close()
  })
})

test('an account that was deleted here is not shown again, although the directory names this server for ever', async () => {
  const directory = await PlcDirectory.start()
  const server = await TestServer.start({ plcUrl: directory.url, allowPrivateTargets: true })
  onTestFinished(async () => {
    await server.close()
    await directory.close()
  })
  await addUpstream(server, there.url)
  const [viewer, kim] = [await server.account('viewer'), await server.account('kim')]
  const shown = () => server.get('app.example.actor.getProfile', { actor: kim.did }, viewer)
  expect(await shown()).toMatchObject({ status: 200 })
  await server.post('com.core.admin.deleteAccount', { did: kim.did }, adminAuth)
  expect(directory.last(kim.did)?.services.atproto_pds?.endpoint).toBe(server.config.publicUrl)
  await SocialServer.on(server).follow(viewer, kim)
  await server.running.services.background.idle()
  expect(directory.requests).toContain(`GET /${kim.did}`)
  expect(await shown()).toMatchObject(refusal(400, 'ProfileNotFound'))
})

test('the author of a first notification is shown with its handle at once', async () => {
  const jon = await there.account('jon')
  await here.running.services.federation.actors.identify(jon.did, { via: there.url })
  const post = await social.post(alice)
  await new RemoteAuthor(here, jon.did as RemoteAuthor['did']).like(post)
  const { notifications } = await social.list(alice)
  expect(notifications[0]).toMatchObject({ reason: 'like', author: { did: jon.did, handle: 'jon.test' } })
})
