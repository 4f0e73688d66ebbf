/**
 * The network's own client library, unmodified, against this server. It calls methods under the network's NSIDs and rejects
 * responses that violate the network's lexicons.
 */
import { AppBskyNotificationListNotifications, AtpAgent, RichText } from '@atproto/api'
import { NodeOAuthClient } from '@atproto/oauth-client-node'
import { beforeAll, describe, expect, test } from 'vitest'
import { loopbackClient } from '../../support/accounts/loopback-client.ts'
import { hour } from '../../support/server/clock.ts'
import { adminAuth } from '../../support/server/server.ts'
import { server, setupServer } from '../../support/server/setup.ts'

beforeAll(async () => {
  // The client continues at the service endpoint of the DID document, which must be the real address.
})
setupServer({ config: { publicUrl: undefined } })

let accounts = 0

/** Creates an account. @returns its agent */
async function join(name: string): Promise<AtpAgent & { did: string; handle: string; password: string }> {
  const handle = `${name}${++accounts}.test`
  const agent = new AtpAgent({ service: server.url })
  const password = `${name}-password`
  await agent.createAccount({ handle, password, email: `${handle}@mail.test` })
  return Object.assign(agent, { handle, password }) as never
}

const now = () => server.clock.now().toISOString()
const post = (agent: AtpAgent, text: string, more: object = {}) =>
  agent.post({ text, createdAt: now(), ...more })

/** The messages of an error and of its causes. */
function causesOf(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...causesOf(error.cause)] : []
}

/** The account's notifications, validated by the network's lexicon, oldest first. */
async function listed(agent: AtpAgent) {
  const { data } = await agent.listNotifications()
  for (const one of data.notifications) {
    expect(AppBskyNotificationListNotifications.validateNotification(one)).toMatchObject({ success: true })
  }
  return data.notifications.toReversed()
}

describe('sessions', () => {
  test('sign-up, sign-in, resumed session and sign-out', async () => {
    const alice = await join('alice')
    expect(alice.session).toMatchObject({ handle: alice.handle, active: true })
    expect(alice.dispatchUrl.origin).toBe(`http://localhost:${server.running.port}`)

    const agent = new AtpAgent({ service: server.url })
    await agent.login({ identifier: alice.handle, password: alice.password })
    expect(agent.session).toMatchObject({ did: alice.did, email: `${alice.handle}@mail.test` })
    if (!agent.session) throw new Error('not signed in')

    const elsewhere = new AtpAgent({ service: server.url })
    await elsewhere.resumeSession(agent.session)
    expect(elsewhere.session?.refreshJwt).not.toBe(agent.session.refreshJwt)
    const { data } = await elsewhere.com.atproto.server.getSession()
    expect(data).toMatchObject({ did: alice.did, handle: alice.handle, active: true })

    const { accessJwt = '' } = elsewhere.session ?? {}
    await elsewhere.logout()
    const refused = await server.get('com.core.server.getSession', {}, accessJwt)
    expect(refused.body).toMatchObject({ error: 'ExpiredToken' })
  })

  test('an expired access token is refreshed by the client during the next call', async () => {
    const alice = await join('alice')
    const before = alice.session?.accessJwt
    server.clock.advance(3 * hour)
    await post(alice, 'Still here')
    expect(alice.session?.accessJwt).not.toBe(before)
  })

  test('a wrong password fails with AuthenticationRequired', async () => {
    const { handle } = await join('alice')
    const agent = new AtpAgent({ service: server.url })
    await expect(agent.login({ identifier: handle, password: 'wrong' })).rejects.toMatchObject({
      status: 401,
      error: 'AuthenticationRequired',
    })
  })

  test('an app password is created, listed, used and revoked', async () => {
    const alice = await join('alice')
    const { createAppPassword, listAppPasswords, revokeAppPassword } = alice.com.atproto.server
    const { server: calls } = alice.com.atproto
    const { data: made } = await createAppPassword.call(calls, { name: 'phone' })
    const phone = new AtpAgent({ service: server.url })
    await phone.login({ identifier: alice.handle, password: made.password })
    await post(phone, 'From the phone')
    const { data } = await listAppPasswords.call(calls)
    expect(data.passwords).toMatchObject([{ name: 'phone', privileged: false }])
    await revokeAppPassword.call(calls, { name: 'phone' })
    await expect(post(phone, 'Once more')).rejects.toMatchObject({ error: 'ExpiredToken' })
  })

  test('an account is deleted with the mailed code', async () => {
    const alice = await join('alice')
    await alice.com.atproto.server.requestAccountDelete()
    const token = await server.codeTo(`${alice.handle}@mail.test`)
    await alice.com.atproto.server.deleteAccount({ did: alice.did, password: alice.password, token })
    const anyone = new AtpAgent({ service: server.url })
    await expect(anyone.resolveHandle({ handle: alice.handle })).rejects.toMatchObject({ status: 400 })
  })

  test('a handle of no account is reported as OAuth libraries expect it, under our name by its own error', async () => {
    const store = { get: async () => undefined, set: async () => {}, del: async () => {} }
    const client = new NodeOAuthClient({
      ...loopbackClient(server.url, 'atproto', 'http://127.0.0.1:9999/callback'),
      ...{ stateStore: store, sessionStore: store },
    })
    const error = await client.authorize('absent.test').catch((thrown: Error) => thrown)
    expect(JSON.stringify(causesOf(error))).toContain('does not resolve to a DID')
    const { body } = await server.get('com.core.identity.resolveHandle', { handle: 'absent.test' })
    expect(body).toMatchObject({ error: 'HandleNotFound' })
  })
})

describe('notifications', () => {
  test('follow, like, repost, reply and quote notify the author', async () => {
    const [alice, bob] = [await join('alice'), await join('bob')]
    const { uri, cid } = await post(alice, 'The first tomatoes are ripe.')

    const follow = await bob.follow(alice.did)
    const like = await bob.like(uri, cid)
    const repost = await bob.repost(uri, cid)
    const ref = { uri, cid }
    const reply = await post(bob, 'Already? In June?', { reply: { root: ref, parent: ref } })
    const quote = await post(bob, 'Envy.', { embed: { $type: 'app.bsky.embed.record', record: ref } })

    expect(uri).toBe(`at://${alice.did}/app.bsky.feed.post/${uri.split('/').at(-1)}`)
    expect(await listed(alice)).toMatchObject([
      { reason: 'follow', uri: follow.uri, author: { did: bob.did, handle: bob.handle } },
      { reason: 'like', uri: like.uri, reasonSubject: uri, record: { $type: 'app.bsky.feed.like' } },
      { reason: 'repost', uri: repost.uri, reasonSubject: uri },
      { reason: 'reply', uri: reply.uri, cid: reply.cid, record: { text: 'Already? In June?' } },
      { reason: 'quote', uri: quote.uri, reasonSubject: uri },
    ])
  })

  test('likes and reposts via a repost also notify the reposter', async () => {
    const [alice, bob, carol] = [await join('alice'), await join('bob'), await join('carol')]
    const { uri, cid } = await post(alice, 'The ferry runs again.')
    const via = await bob.repost(uri, cid)
    await carol.like(uri, cid, via)
    await carol.repost(uri, cid, via)
    expect((await listed(bob)).map(({ reason }) => reason)).toEqual(['like-via-repost', 'repost-via-repost'])
    expect((await listed(alice)).map(({ reason }) => reason)).toEqual(['repost', 'like', 'repost'])
  })

  test('a mention that the client detects in a text notifies the mentioned account', async () => {
    const [alice, bob] = [await join('alice'), await join('bob')]
    const rich = new RichText({ text: `Thank you @${bob.handle}, see https://example.test` })
    await rich.detectFacets(alice)
    await post(alice, rich.text, { facets: rich.facets })
    expect(await listed(bob)).toMatchObject([{ reason: 'mention', record: { text: rich.text } }])
  })

  test('a notification contains the self-labels of the post', async () => {
    const [alice, bob] = [await join('alice'), await join('bob')]
    const labels = { $type: 'com.atproto.label.defs#selfLabels', values: [{ val: 'graphic-media' }] }
    const rich = new RichText({ text: `@${bob.handle} careful` })
    await rich.detectFacets(alice)
    await post(alice, rich.text, { facets: rich.facets, labels })
    expect(await listed(bob)).toMatchObject([{ labels: [{ src: alice.did, val: 'graphic-media' }] }])
  })

  test('deleting records deletes their notifications', async () => {
    const [alice, bob] = [await join('alice'), await join('bob')]
    const { uri, cid } = await post(alice, 'Short-lived')
    const ref = { uri, cid }
    const follow = await bob.follow(alice.did)
    const like = await bob.like(uri, cid)
    const repost = await bob.repost(uri, cid)
    const reply = await post(bob, 'A reply', { reply: { root: ref, parent: ref } })
    await bob.deleteLike(like.uri)
    await bob.deleteRepost(repost.uri)
    await bob.deletePost(reply.uri)
    await bob.deleteFollow(follow.uri)
    expect(await listed(alice)).toEqual([])
    expect((await alice.countUnreadNotifications()).data.count).toBe(0)
  })

  test('notifications are paged, and counted until updateSeen', async () => {
    const [alice, bob] = [await join('alice'), await join('bob')]
    for (const text of ['one', 'two', 'three']) {
      const { uri, cid } = await post(alice, text)
      await bob.like(uri, cid)
    }
    expect((await alice.countUnreadNotifications()).data.count).toBe(3)
    const first = await alice.listNotifications({ limit: 2 })
    expect(first.data.notifications).toHaveLength(2)
    const second = await alice.listNotifications({ limit: 2, cursor: first.data.cursor ?? '' })
    expect(second.data.notifications).toHaveLength(1)
    expect(second.data.cursor).toBeUndefined()

    await alice.updateSeenNotifications(now())
    expect((await alice.countUnreadNotifications()).data.count).toBe(0)
    expect((await listed(alice)).map(({ isRead }) => isRead)).toEqual([true, true, true])
  })

  test('preferences are read, and changed one by one', async () => {
    const [alice, bob] = [await join('alice'), await join('bob')]
    const { notification } = alice.app.bsky
    const { data: before } = await notification.getPreferences()
    const like = { include: 'follows', list: true, push: false }
    const { data: after } = await notification.putPreferencesV2({ like })
    expect(after.preferences).toEqual({ ...before.preferences, like })

    const { uri, cid } = await post(alice, 'Only for friends')
    await bob.like(uri, cid)
    expect(await listed(alice)).toEqual([])
    await alice.follow(bob.did)
    expect(await listed(alice)).toMatchObject([{ reason: 'like' }])
  })

  test('an activity subscription notifies of new posts', async () => {
    const [alice, bob] = [await join('alice'), await join('bob')]
    const { notification } = alice.app.bsky
    const wanted = { post: true, reply: false }
    await notification.putActivitySubscription({ subject: bob.did, activitySubscription: wanted })
    const { data } = await notification.listActivitySubscriptions()
    expect(data.subscriptions).toMatchObject([
      { did: bob.did, handle: bob.handle, viewer: { activitySubscription: wanted } },
    ])
    const { uri } = await post(bob, 'News')
    expect(await listed(alice)).toMatchObject([{ reason: 'subscribed-post', uri }])
  })
})

describe('application preferences', () => {
  test('are read, changed and put back by the client', async () => {
    const alice = await join('alice')
    expect(await alice.getPreferences()).toMatchObject({ birthDate: undefined })
    await alice.setAdultContentEnabled(true)
    await alice.setPersonalDetails({ birthDate: '2000-02-29T00:00:00.000Z' })
    await alice.addMutedWord({ value: 'rain', targets: ['content'], actorTarget: 'all' })
    const feed = 'at://did:web:feeds.test/app.bsky.feed.generator/weather'
    await alice.addSavedFeeds([{ type: 'feed', value: feed, pinned: true }])
    expect(await alice.getPreferences()).toMatchObject({
      birthDate: new Date('2000-02-29'),
      moderationPrefs: { adultContentEnabled: true, mutedWords: [{ value: 'rain' }] },
      savedFeeds: expect.arrayContaining([expect.objectContaining({ value: feed, pinned: true })]),
    })
    const { data } = await alice.app.bsky.actor.getPreferences()
    const isOf = (type: string) => (one: { $type?: string }) => one.$type === `app.bsky.actor.defs#${type}`
    expect(data.preferences.find(isOf('declaredAgePref'))).toMatchObject({ isOverAge18: true })
    expect(data.preferences.filter(isOf('personalDetailsPref'))).toHaveLength(1)
  })
})

describe('profiles', () => {
  test('a profile is created, changed and read', async () => {
    const [alice, bob] = [await join('alice'), await join('bob')]
    await alice.upsertProfile(() => ({ displayName: 'Alice', description: 'Grows tomatoes.' }))
    await alice.upsertProfile((existing) => ({ ...existing, displayName: 'Alice Okafor' }))
    const follow = await bob.follow(alice.did)
    const activitySubscription = { post: true, reply: true }
    await bob.app.bsky.notification.putActivitySubscription({ subject: alice.did, activitySubscription })

    const { data: profile } = await bob.getProfile({ actor: alice.handle })
    expect(profile).toMatchObject({
      did: alice.did,
      handle: alice.handle,
      displayName: 'Alice Okafor',
      description: 'Grows tomatoes.',
      viewer: { following: follow.uri, activitySubscription },
    })
    expect(profile.viewer?.followedBy).toBeUndefined()
    const { data: follower } = await alice.getProfile({ actor: bob.did })
    expect(follower.viewer).toEqual({ muted: false, blockedBy: false, followedBy: follow.uri })
    const { data: seenByAnyone } = await new AtpAgent({ service: server.url }).getProfile({ actor: bob.did })
    expect(seenByAnyone.viewer).toBeUndefined()
  })

  test('unknown accounts and accounts that are not active have no profile', async () => {
    const [alice, bob] = [await join('alice'), await join('bob')]
    const refused = (error: string) => ({ status: 400, error })
    await expect(alice.getProfile({ actor: 'unknown.test' })).rejects.toMatchObject(
      refused('ProfileNotFound'),
    )
    await bob.com.atproto.server.deactivateAccount({})
    await expect(alice.getProfile({ actor: bob.handle })).rejects.toMatchObject(refused('AccountDeactivated'))
    expect((await bob.getProfile({ actor: bob.handle })).data.did).toBe(bob.did)
  })

  test.each([
    ['a display name that is too long', { displayName: 'x'.repeat(1000) }],
    ['a display name that is a number', { displayName: 7 }],
    ['a website that is not a URL', { displayName: 'Mallory', website: 'no address' }],
  ])('an unvalidated profile with %s does not break other responses', async (_, record) => {
    const [alice, mallory] = [await join('alice'), await join('mallory')]
    await mallory.com.atproto.repo.putRecord({
      repo: mallory.did,
      collection: 'app.bsky.actor.profile',
      rkey: 'self',
      record,
      validate: false,
    })
    await mallory.follow(alice.did)
    expect(await listed(alice)).toMatchObject([{ reason: 'follow', author: { did: mallory.did } }])
    expect((await alice.getProfile({ actor: mallory.did })).data.displayName).toBeUndefined()
  })

  test('an unvalidated record with labels that are too long does not break listNotifications', async () => {
    const [alice, mallory] = [await join('alice'), await join('mallory')]
    const { uri, cid } = await post(alice, 'Something to like')
    await mallory.com.atproto.repo.createRecord({
      repo: mallory.did,
      collection: 'app.bsky.feed.like',
      validate: false,
      record: {
        subject: { uri, cid },
        createdAt: 'yesterday',
        labels: { $type: 'com.atproto.label.defs#selfLabels', values: [{ val: 'x'.repeat(1000) }] },
      },
    })
    expect(await listed(alice)).toMatchObject([{ reason: 'like', author: { did: mallory.did } }])
  })
})

describe('the client accepts the responses of', () => {
  test('describeServer', async () => {
    const agent = new AtpAgent({ service: server.url })
    const { data } = await agent.com.atproto.server.describeServer()
    expect(data.availableUserDomains).toEqual(['.test'])
  })

  test('account methods', async () => {
    const alice = await join('alice')
    const { server: calls } = alice.com.atproto
    await calls.requestEmailConfirmation()
    const token = await server.codeTo(`${alice.handle}@mail.test`)
    await calls.confirmEmail({ email: `${alice.handle}@mail.test`, token })
    expect((await calls.requestEmailUpdate()).data.tokenRequired).toBe(true)
    expect((await calls.checkAccountStatus()).data).toMatchObject({ activated: true, validDid: true })
    expect((await calls.getAccountInviteCodes()).data.codes).toEqual([])
    const aud = 'did:web:video.test'
    expect((await calls.getServiceAuth({ aud, lxm: 'app.bsky.video.getUploadLimits' })).data.token).toMatch(
      /^[\w-]+\.[\w-]+\.[\w-]+$/,
    )
    await calls.deactivateAccount({})
    await calls.activateAccount()
    await calls.reserveSigningKey({ did: 'did:web:elsewhere.test' })
  })

  test('repository methods', async () => {
    const alice = await join('alice')
    const { uri } = await post(alice, 'A record')
    const { repo, sync } = alice.com.atproto
    const rkey = uri.split('/').at(-1) ?? ''
    const { value } = await alice.app.bsky.feed.post.get({ repo: alice.did, rkey })
    expect(value).toMatchObject({ $type: 'app.bsky.feed.post', text: 'A record' })
    const listed = await repo.listRecords({ repo: alice.did, collection: 'app.bsky.feed.post' })
    expect(listed.data.records).toMatchObject([{ uri }])
    const { data } = await repo.describeRepo({ repo: alice.did })
    expect(data).toMatchObject({ handle: alice.handle, collections: ['app.bsky.feed.post'] })
    expect((await sync.getRepo({ did: alice.did })).data.byteLength).toBeGreaterThan(0)
  })

  test('applyWrites', async () => {
    const alice = await join('alice')
    const write = (kind: string) => ({ $type: `com.atproto.repo.applyWrites#${kind}` as never })
    const collection = 'app.bsky.feed.post'
    const value = { $type: collection, text: 'One of two', createdAt: now() }
    const { uri } = await post(alice, 'To be deleted')
    const { data } = await alice.com.atproto.repo.applyWrites({
      repo: alice.did,
      writes: [
        { ...write('create'), collection, value },
        { ...write('delete'), collection, rkey: uri.split('/').at(-1) ?? '' },
      ],
    })
    expect(data.results).toMatchObject([{ ...write('createResult') }, { ...write('deleteResult') }])
  })

  test('admin methods, with a typed subject', async () => {
    const alice = await join('alice')
    const { admin } = new AtpAgent({ service: server.url }).com.atproto
    const options = { headers: { authorization: adminAuth } }
    const subject = { $type: 'com.atproto.admin.defs#repoRef', did: alice.did }
    const takedown = { applied: true, ref: 'spam' }
    const changed = await admin.updateSubjectStatus({ subject, takedown }, options)
    expect(changed.data).toMatchObject({ subject, takedown })
    const { data } = await admin.getSubjectStatus({ did: alice.did }, options)
    expect(data.takedown).toEqual(takedown)
  })

  test('admin methods about accounts', async () => {
    const alice = await join('alice')
    const { admin, server: accounts } = new AtpAgent({ service: server.url }).com.atproto
    const options = { headers: { authorization: adminAuth } }
    const { did } = alice
    const { data: invite } = await accounts.createInviteCode({ useCount: 1, forAccount: did }, options)
    const handle = alice.handle.replace('alice', 'alicia')
    await admin.updateAccountHandle({ did, handle }, options)
    await admin.updateAccountEmail({ account: did, email: `${handle}@mail.test` }, options)
    await admin.disableAccountInvites({ account: did, note: 'none' }, options)
    const { data: found } = await admin.searchAccounts({ email: handle }, options)
    const changed = { did, handle, email: `${handle}@mail.test`, invitesDisabled: true, inviteNote: 'none' }
    expect(found.accounts).toMatchObject([changed])
    const { data: info } = await admin.getAccountInfo({ did }, options)
    expect(info).toMatchObject({ ...changed, invites: [invite] })
    const { data: infos } = await admin.getAccountInfos({ dids: [did] }, options)
    expect(infos).toEqual({ infos: [info] })
    const { data: codes } = await admin.getInviteCodes({ limit: 1 }, options)
    expect(codes.codes).toMatchObject([invite])
    const message = { recipientDid: did, senderDid: did, subject: 'Hello', content: 'Hello.' }
    expect((await admin.sendEmail(message, options)).data).toEqual({ sent: true })
  })
})
