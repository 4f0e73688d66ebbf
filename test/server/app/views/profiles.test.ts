/** Profiles as the network's client library reads them: views, counts, viewer state. */
import type { BlobRef } from '@atproto/api'
import { describe, expect, test } from 'vitest'
import type { NetworkAccount } from '../../../support/remote/network-accounts.ts'
import { hour } from '../../../support/server/clock.ts'
import { network, setupNetwork } from '../../../support/server/setup.ts'

setupNetwork()

const profileOf = async (viewer: NetworkAccount, actor: NetworkAccount) =>
  (await viewer.getProfile({ actor: actor.did })).data

function writeProfile(of: NetworkAccount, record: object) {
  return of.com.atproto.repo.putRecord({
    repo: of.did,
    collection: 'app.bsky.actor.profile',
    rkey: 'self',
    record: { $type: 'app.bsky.actor.profile', ...record },
    validate: false,
  })
}

describe('a profile', () => {
  test('has texts, images by URLs of this server, self-labels and the pinned post', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const pinnedPost = await network.post(alice, 'Pinned')
    const [avatar, banner] = [await network.image(alice), await network.image(alice)]
    await writeProfile(alice, {
      ...{ displayName: 'Alice', description: 'Grows tomatoes.', pronouns: 'she/her', avatar, banner },
      ...{ website: 'https://alice.example', pinnedPost, createdAt: network.now },
      labels: { $type: 'com.atproto.label.defs#selfLabels', values: [{ val: '!no-unauthenticated' }] },
    })
    const { data: profile } = await bob.getProfile({ actor: alice.handle })
    const origin = `http://localhost:${network.server.running.port}`
    const url = (blob: object) =>
      `${origin}/xrpc/com.core.sync.getBlob?did=${encodeURIComponent(alice.did)}&cid=${(blob as BlobRef).ref}`
    expect(profile).toMatchObject({
      ...{ displayName: 'Alice', description: 'Grows tomatoes.', pronouns: 'she/her' },
      ...{
        avatar: url(avatar),
        banner: `${url(banner)}&preset=banner`,
        website: 'https://alice.example',
        pinnedPost,
      },
      labels: [{ src: alice.did, val: '!no-unauthenticated' }],
      createdAt: expect.any(String),
      indexedAt: expect.any(String),
    })
    const { data: thread } = await bob.getPostThread({ uri: pinnedPost.uri })
    expect(thread.thread).toMatchObject({
      post: { author: { avatar: `${url(avatar)}&preset=avatar_thumbnail` } },
    })
    const image = await fetch(profile.avatar ?? '')
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png'])
  })

  test('does not show the pinned post of another account', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    await writeProfile(alice, { displayName: 'Alice', pinnedPost: await network.post(bob, 'Mine') })
    expect(await profileOf(bob, alice)).toMatchObject({ displayName: 'Alice' })
    expect(await profileOf(bob, alice)).not.toHaveProperty('pinnedPost')
  })

  test('counts followers, follows and posts, each account once', async () => {
    const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
    for (const [from, to] of [
      [alice, bob],
      [alice, bob],
      [alice, carol],
      [bob, alice],
      [bob, alice],
    ] as const) {
      await from.follow(to.did)
    }
    const post = await network.post(alice, 'One')
    await network.reply(alice, 'Two', post)
    expect(await profileOf(bob, alice)).toMatchObject({ followersCount: 1, followsCount: 2, postsCount: 2 })
  })

  test('states what belongs to the account, and who may subscribe to its activity', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const subscriptions = (allowSubscriptions: string) => ({ activitySubscription: { allowSubscriptions } })
    const none = { lists: 0, feedgens: 0, starterPacks: 0, labeler: false }
    expect((await profileOf(bob, alice)).associated).toEqual({ ...none, ...subscriptions('followers') })
    const list = await network.list(alice)
    await network.write(alice, 'app.bsky.graph.starterpack', {
      ...{ name: 'Gardeners', list: list.uri, createdAt: network.now },
    })
    await network.write(alice, 'app.bsky.notification.declaration', { allowSubscriptions: 'mutuals' }, 'self')
    await network.write(alice, 'chat.bsky.actor.declaration', { allowIncoming: 'none' }, 'self')
    expect((await profileOf(bob, alice)).associated).toEqual({
      ...{ ...none, lists: 1, starterPacks: 1, chat: { allowIncoming: 'none' } },
      ...subscriptions('mutuals'),
    })
  })

  test('has the address in the Germ messenger, as its declaration states it', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const declare = (messageMe: unknown, validate = true) =>
      alice.com.atproto.repo.putRecord({
        ...{ repo: alice.did, collection: 'com.germnetwork.declaration', rkey: 'self', validate },
        record: { version: '1.0.0', currentKey: { $bytes: 'AAAA' }, messageMe },
      })
    const germ = async () => (await profileOf(bob, alice)).associated?.germ
    const messageMe = { messageMeUrl: 'https://germ.example/alice', showButtonTo: 'usersIFollow' }
    await declare(messageMe)
    expect(await germ()).toEqual(messageMe)
    const { data } = await bob.searchActors({ q: alice.handle })
    expect(data.actors[0]?.associated?.germ).toEqual(messageMe)
    await expect(declare({ messageMeUrl: 7 })).rejects.toMatchObject({ error: 'InvalidRequest' })
    await declare({ messageMeUrl: 7, showButtonTo: ['everyone'] }, false)
    expect(await germ()).toBeUndefined()
    await declare(undefined)
    expect(await germ()).toBeUndefined()
  })

  test('has an address in the Germ messenger of the web only: clients open it', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    for (const messageMeUrl of ['javascript:alert(1)//', 'data:text/html,x', 'http://germ.example/', 'x:y']) {
      const record = { version: '1.0.0', currentKey: { $bytes: 'AAAA' } }
      const messageMe = { messageMeUrl, showButtonTo: 'everyone' }
      const place = { repo: alice.did, collection: 'com.germnetwork.declaration', rkey: 'self' }
      await alice.com.atproto.repo.putRecord({ ...place, record: { ...record, messageMe } })
      expect((await profileOf(bob, alice)).associated?.germ).toBeUndefined()
    }
  })

  test('names the starter pack through which the account joined', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const list = await network.list(alice, alice)
    const record = { name: 'Gardeners', list: list.uri, createdAt: network.now }
    const pack = await network.write(alice, 'app.bsky.graph.starterpack', record)
    await writeProfile(bob, { displayName: 'Bob', joinedViaStarterPack: pack })
    expect((await profileOf(alice, bob)).joinedViaStarterPack).toMatchObject({
      ...{ uri: pack.uri, record: { name: 'Gardeners' }, listItemCount: 1 },
      ...{ joinedAllTimeCount: 1, joinedWeekCount: 1 },
    })
  })

  test('shows a status until it expires', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const external = { uri: 'https://live.example', title: 'Live', description: 'Now' }
    await network.write(
      alice,
      'app.bsky.actor.status',
      {
        ...{ status: 'app.bsky.actor.status#live', durationMinutes: 60, createdAt: network.now },
        embed: { $type: 'app.bsky.embed.external', external },
      },
      'self',
    )
    expect((await profileOf(bob, alice)).status).toMatchObject({
      ...{ status: 'app.bsky.actor.status#live', isActive: true, record: { durationMinutes: 60 } },
      embed: { $type: 'app.bsky.embed.external#view', external },
    })
    network.server.clock.advance(1.5 * hour)
    expect(await profileOf(bob, alice)).not.toHaveProperty('status')
  })

  test.each([1e10, Number.MAX_SAFE_INTEGER])('shows a status of %d minutes without end', async (minutes) => {
    const [alice, bob] = await network.join('alice', 'bob')
    const status = { status: 'app.bsky.actor.status#live', durationMinutes: minutes, createdAt: network.now }
    await network.write(alice, 'app.bsky.actor.status', status, 'self')
    const shown = (await profileOf(bob, alice)).status
    expect(shown).toMatchObject({ isActive: true })
    expect(shown).not.toHaveProperty('expiresAt')
  })

  test.each([
    ['a name that is too long', { displayName: 'x'.repeat(1000) }],
    ['an avatar that is no blob', { displayName: 'Mallory', avatar: 'https://tracker.example' }],
    [
      'labels that are too long',
      { labels: { $type: 'com.atproto.label.defs#selfLabels', values: [{ val: 'x'.repeat(500) }] } },
    ],
    ['a list instead of a text', { displayName: 'Mallory', description: ['x'] }],
  ])('counts as none with %s', async (_, record) => {
    const [alice, mallory] = await network.join('alice', 'mallory')
    await writeProfile(mallory, record)
    const profile = await profileOf(alice, mallory)
    expect(profile).toMatchObject({ handle: mallory.handle, labels: [] })
    for (const name of ['displayName', 'avatar', 'description']) expect(profile).not.toHaveProperty(name)
  })
})

describe('the viewer state', () => {
  test('has blocks in both directions, and no follows between blocked accounts', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    await alice.follow(bob.did)
    await bob.follow(alice.did)
    const block = await network.block(alice, bob)
    const none = { muted: false }
    expect((await profileOf(alice, bob)).viewer).toEqual({ ...none, blockedBy: false, blocking: block.uri })
    expect((await profileOf(bob, alice)).viewer).toEqual({ ...none, blockedBy: true })
  })

  test('has blocks by a list of another account', async () => {
    const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
    const list = await network.list(carol, bob)
    await network.write(alice, 'app.bsky.graph.listblock', { subject: list.uri, createdAt: network.now })
    const { viewer } = await profileOf(alice, bob)
    expect(viewer).toMatchObject({ blockedBy: false, blocking: expect.any(String) })
    expect(viewer?.blockingByList).toMatchObject({ uri: list.uri, name: 'Friends', listItemCount: 1 })
    expect((await profileOf(bob, alice)).viewer).toEqual({ muted: false, blockedBy: true })
    expect((await profileOf(bob, carol)).viewer).toEqual({ muted: false, blockedBy: false })
  })

  test('ignores items that others add to a list, and lists that are deleted', async () => {
    const [alice, bob, mallory] = await network.join('alice', 'bob', 'mallory')
    const list = await network.list(alice)
    await network.write(alice, 'app.bsky.graph.listblock', { subject: list.uri, createdAt: network.now })
    const item = { list: list.uri, subject: bob.did, createdAt: network.now }
    await network.write(mallory, 'app.bsky.graph.listitem', item)
    expect((await profileOf(alice, bob)).viewer).toEqual({ muted: false, blockedBy: false })
    await network.write(alice, 'app.bsky.graph.listitem', item)
    expect((await profileOf(alice, bob)).viewer).toHaveProperty('blockingByList')
    await alice.app.bsky.graph.list.delete({ repo: alice.did, rkey: list.uri.split('/').at(-1) ?? '' })
    expect((await profileOf(alice, bob)).viewer).toEqual({ muted: false, blockedBy: false })
  })

  test('has the followers that the viewer follows', async () => {
    const [alice, bob, carol, dave] = await network.join('alice', 'bob', 'carol', 'dave')
    await alice.follow(carol.did)
    for (const follower of [carol, dave]) await follower.follow(bob.did)
    const { viewer } = await profileOf(alice, bob)
    expect(viewer?.knownFollowers).toMatchObject({ count: 1, followers: [{ did: carol.did }] })
    expect((await profileOf(dave, bob)).viewer).not.toHaveProperty('knownFollowers')
  })

  test('is absent without a session', async () => {
    const [alice] = await network.join('alice')
    const { data } = await network.anonymous.getProfile({ actor: alice.did })
    expect(data).not.toHaveProperty('viewer')
  })
})

describe('accounts that are not active', () => {
  test.each([
    ['takedown', 'AccountTakedown'],
    ['suspended', 'AccountSuspended'],
    ['deactivated', 'AccountDeactivated'],
  ])('%s: getProfile fails with %s and status 400, and lists leave the account out', async (state, error) => {
    const [alice, bob] = await network.join('alice', 'bob')
    await bob.follow(alice.did)
    await writeProfile(bob, { displayName: 'Bob' })
    await network.server.setStatus(bob.did, { [state]: true })
    await expect(profileOf(alice, bob)).rejects.toMatchObject({ status: 400, error })
    expect((await alice.getProfiles({ actors: [bob.did, alice.did] })).data.profiles).toMatchObject([
      { did: alice.did },
    ])
    expect((await alice.getFollowers({ actor: alice.did })).data.followers).toEqual([])
    expect((await alice.searchActors({ q: bob.handle })).data.actors).toEqual([])
    await expect(alice.getFollows({ actor: bob.did })).rejects.toMatchObject({ status: 400 })
  })

  test('a deactivated account still reads its own profile', async () => {
    const [alice] = await network.join('alice')
    await alice.com.atproto.server.deactivateAccount({})
    expect(await profileOf(alice, alice)).toMatchObject({ did: alice.did })
  })
})

test('getProfiles returns each account once, and leaves out unknown ones', async () => {
  const [alice, bob] = await network.join('alice', 'bob')
  const actors = [bob.handle, 'unknown.test', alice.did, bob.did]
  const { data } = await alice.getProfiles({ actors })
  expect(data.profiles.map(({ did }) => did)).toEqual([bob.did, alice.did])
})
