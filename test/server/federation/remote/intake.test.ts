/** What happens to verified records of other servers: which are stored, and what accounts here see of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DidHost, startDidHost } from '../../../support/accounts/did-host.ts'
import { arrive, movingAccount } from '../../../support/accounts/moving-account.ts'
import { counts, mention, RemoteAuthor, refOf, reply, stored } from '../../../support/remote/remote-author.ts'
import { day } from '../../../support/server/clock.ts'
import { type Account, adminAuth, TestServer } from '../../../support/server/server.ts'
import { server, setupServer, social } from '../../../support/server/setup.ts'
import { createdAt, SocialServer, someCid, someList } from '../../../support/server/social.ts'

let names = 0

setupServer()

const account = () => server.account(`alice${++names}`)
const remote = () => new RemoteAuthor(server)
const deleted = counts({ deleted: 1 })
const skipped = counts({ skipped: 1 })

interface Notification {
  readonly reason: string
  readonly uri: string
  readonly indexedAt: string
}

async function notificationsOf(account: Account): Promise<Notification[]> {
  const { body } = await server.get('app.bsky.notification.listNotifications', {}, account)
  return body.notifications
}

async function reasonsOf(account: Account): Promise<string[]> {
  return (await notificationsOf(account)).map(({ reason }) => reason)
}

async function postOf({ uri }: { uri: string }, reader?: Account) {
  const { body } = await server.get('app.bsky.feed.getPosts', { uris: [uri] }, reader)
  return body.posts[0]
}

async function textsFor(reader: Account): Promise<string[]> {
  const { body } = await server.get('app.bsky.feed.getTimeline', {}, reader)
  return body.feed.map(({ post }: { post: { record: { text: string } } }) => post.record.text)
}

describe('records of other servers', () => {
  test('notify and count once, as those of accounts here', async () => {
    const [alice, bob] = [await account(), remote()]
    const post = await social.post(alice)
    const like = await bob.change('app.bsky.feed.like', { subject: post })
    expect(await bob.apply([like, like])).toEqual(counts({ stored: 1, skipped: 1 }))
    expect(await bob.apply([like])).toEqual(skipped)
    expect(await notificationsOf(alice)).toMatchObject([
      {
        reason: 'like',
        author: { did: bob.did },
        reasonSubject: post.uri.replace('app.example', 'app.bsky'),
      },
    ])
    expect(await postOf(post)).toMatchObject({ likeCount: 1 })
  })

  test('of each kind notify with their reason', async () => {
    const [alice, bob] = [await account(), remote()]
    const post = await social.post(alice)
    const repost = await social.repost(await account(), post)
    await bob.follow(alice)
    await bob.post('Reply', reply(post))
    await bob.post('Quote', { embed: { $type: 'app.bsky.embed.record', record: refOf(post) } })
    await bob.post('Hello', mention(alice))
    await bob.write('app.bsky.feed.repost', { subject: refOf(post), via: repost })
    await bob.write('app.bsky.feed.like', { subject: refOf(post) })
    const verification = { subject: alice.did, handle: alice.handle, displayName: '' }
    await bob.write('app.bsky.graph.verification', verification)
    expect((await reasonsOf(alice)).slice(0, 7)).toEqual([
      ...['verified', 'like', 'repost', 'mention', 'quote', 'reply', 'follow'],
    ])
    expect(await postOf(post)).toMatchObject({ likeCount: 1, replyCount: 1, quoteCount: 1, repostCount: 2 })
  })

  test('are skipped unless they refer to accounts here or to records that these have', async () => {
    const [alice, bob] = [await account(), remote()]
    const missing = { uri: `at://${alice.did}/app.bsky.feed.post/3kaaaaaaaaaa2`, cid: someCid }
    expect((await bob.like(missing)).applied).toEqual(skipped)
    expect((await bob.follow(remote())).applied).toEqual(skipped)
    expect((await bob.post('Nothing to do with anyone here')).applied).toEqual(skipped)
    expect((await bob.write('com.example.thing', { subject: alice.did })).applied).toEqual(skipped)
    expect(await reasonsOf(alice)).toEqual([])
  })

  test('that refer by a handle are skipped: it may be that of another account elsewhere', async () => {
    const [alice, bob] = [await account(), remote()]
    const { uri, cid } = await social.post(alice)
    const byHandle = { uri: uri.replace(alice.did, alice.handle), cid }
    expect((await bob.like(byHandle)).applied).toEqual(skipped)
    expect((await bob.post('Reply', { ...reply(byHandle), ...mention(alice) })).applied).toEqual(skipped)
    expect(await reasonsOf(alice)).toEqual([])
  })

  test('of accounts here are ignored: their own server knows best', async () => {
    const [alice, bob] = [await account(), await account()]
    const post = await social.post(alice)
    expect((await new RemoteAuthor(server, bob.did as `did:plc:${string}`).like(post)).applied).toEqual(
      skipped,
    )
  })

  test('of muted and blocked authors are skipped, unless they concern another account too', async () => {
    const [alice, carol, bob] = [await account(), await account(), remote()]
    await bob.follow(carol)
    const post = await social.post(alice)
    await server.post('app.bsky.graph.muteActor', { actor: bob.did }, alice)
    expect((await bob.like(post)).applied).toEqual(skipped)
    expect((await bob.post('To both', { ...reply(post), ...mention(carol) })).applied).toEqual(stored)
    expect(await reasonsOf(alice)).toEqual([])
    expect(await reasonsOf(carol)).toEqual(['mention', 'follow'])
    await server.post('app.bsky.graph.unmuteActor', { actor: bob.did }, alice)
    const block = { subject: bob.did, createdAt: '2029-12-01T00:00:00Z' }
    await social.write(alice, 'app.bsky.graph.block', block)
    expect((await bob.like(post)).applied).toEqual(skipped)
    expect((await bob.write('app.bsky.graph.block', { subject: alice.did })).applied).toEqual(stored)
  })

  test('that no server would accept are skipped', async () => {
    const [alice, bob] = [await account(), remote()]
    const post = await social.post(alice)
    const like = { subject: refOf(post) }
    let deep: unknown = 'end'
    for (let depth = 0; depth < 150; depth++) deep = [deep]
    const rows: [string, object][] = [
      ['app.bsky.feed.like', { ...like, $type: 'app.bsky.feed.repost' }],
      ['app.bsky.feed.like', { ...like, extra: deep }],
      ['app.bsky.feed.like', { ...like, extra: 2n ** 60n }],
      ['app.bsky.feed.like', { ...like, extra: 'x'.repeat(50_001) }],
    ]
    for (const [collection, record] of rows) {
      expect((await bob.write(collection, record)).applied, collection).toEqual(skipped)
    }
    const change = await bob.change('app.bsky.feed.like', like)
    const broken = { cid: someCid, bytes: new Uint8Array([0xa1, 0x61]) }
    expect(await bob.apply([{ ...change, content: broken }])).toEqual(skipped)
    expect(await bob.apply([{ ...change, rkey: '..' }])).toEqual(skipped)
    expect(await bob.apply([{ ...change, did: 'did:plc:' as 'did:plc:x' }])).toEqual(skipped)
    expect(await reasonsOf(alice)).toEqual([])
  })
})

describe('changes of a record of another server', () => {
  test('count in the order of their revisions, whatever order they come in', async () => {
    const [alice, bob] = [await account(), remote()]
    const post = await social.post(alice)
    const [first, second, third, fourth] = [1, 2, 3, 4].map(() => bob.nextTid())
    const like = (rev: string | undefined, record: object | undefined = { subject: refOf(post) }) =>
      bob.change('app.bsky.feed.like', record, { rkey: '3kaaaaaaaaaa2', ...(rev && { rev }) })
    const deletion = await bob.change('app.bsky.feed.like', undefined, {
      rkey: '3kaaaaaaaaaa2',
      rev: third ?? '',
    })
    expect(await bob.apply([await like(second)])).toEqual(stored)
    expect(await bob.apply([await like(first, { subject: refOf(post), via: refOf(post) })])).toEqual(skipped)
    expect(await bob.apply([deletion])).toEqual(deleted)
    expect(await bob.apply([await like(second)])).toEqual(skipped)
    expect(await reasonsOf(alice)).toEqual([])
    expect(await bob.apply([await like(fourth)])).toEqual(stored)
    expect(await bob.apply([deletion])).toEqual(skipped)
    expect(await postOf(post)).toMatchObject({ likeCount: 1 })
  })

  test('under our names are ignored: they are not those of the network', async () => {
    const [alice, bob] = [await account(), remote()]
    const post = await social.post(alice)
    const like = { subject: refOf(post) }
    const { rkey } = await bob.write('app.bsky.feed.like', like)
    const rev = bob.nextTid()
    const ours = [
      await bob.change('app.example.feed.like', undefined, { rkey, rev }),
      await bob.change('app.example.feed.like', like, { rev }),
    ]
    expect(await bob.apply(ours)).toEqual(counts({ skipped: 2 }))
    expect(await postOf(post)).toMatchObject({ likeCount: 1 })
  })

  test('take back what no longer applies', async () => {
    const [alice, carol, bob] = [await account(), await account(), remote()]
    const { rkey } = await bob.post('Hello', mention(alice))
    await bob.post('Hello', mention(carol), { rkey })
    expect([await reasonsOf(alice), await reasonsOf(carol)]).toEqual([[], ['mention']])
    expect((await bob.post('Hello', {}, { rkey })).applied).toEqual(deleted)
    expect(await reasonsOf(carol)).toEqual([])
  })

  test('that are caught up with can be stored without notifying', async () => {
    const [alice, bob] = [await account(), remote()]
    const post = await social.post(alice)
    await bob.like(post, { notify: false })
    expect(await postOf(post)).toMatchObject({ likeCount: 1 })
    expect(await reasonsOf(alice)).toEqual([])
  })

  test('that were read before their event came notify once, when it comes', async () => {
    const [alice, bob] = [await account(), remote()]
    await social.subscribe(alice, bob, true, true)
    const post = await social.post(alice)
    const changes = [
      await bob.change('app.bsky.feed.post', { text: 'Reply', ...reply(post) }),
      await bob.change('app.bsky.feed.post', { text: 'News' }),
    ]
    const { rev } = await bob.change('app.bsky.feed.post', {})
    const proven = changes.map((change) => ({ ...change, rev }))
    await bob.apply(proven, { notify: false })
    expect(await reasonsOf(alice)).toEqual([])
    await bob.apply(changes)
    await bob.apply(changes)
    await bob.apply(proven)
    expect(await reasonsOf(alice)).toEqual(['subscribed-post', 'reply'])
    expect(await postOf(post)).toMatchObject({ replyCount: 1 })
  })
})

describe('posts of people on other servers', () => {
  test('that were edited before the event was read notify as they are now, once the event comes', async () => {
    const [alice, carol, bob] = [await account(), await account(), remote()]
    const written = await bob.post('Hello', mention(alice))
    // So that it is stored whatever it says.
    await social.like(alice, written)
    const edit = await bob.change('app.bsky.feed.post', { text: 'Edited', ...mention(carol) }, written)
    await bob.apply([{ ...edit, rev: bob.nextTid() }], { notify: false })
    expect([await reasonsOf(alice), await reasonsOf(carol)]).toEqual([[], []])
    await bob.apply([edit])
    await bob.apply([edit])
    expect([await reasonsOf(alice), await reasonsOf(carol)]).toEqual([[], ['mention']])
  })

  test('of which there is one notify although the repository was read first', async () => {
    const [alice, bob] = [await account(), remote()]
    const pack = await social.write(alice, 'app.example.graph.starterpack', {
      name: 'Pack',
      list: someList,
      createdAt,
    })
    await bob.follow(alice)
    const self = { rkey: 'self' }
    await bob.write('app.bsky.actor.profile', { displayName: 'Bob' }, self)
    const joined = { joinedViaStarterPack: refOf(pack) }
    const change = await bob.change('app.bsky.actor.profile', joined, self)
    await bob.apply([change], { notify: false })
    expect(await reasonsOf(alice)).toEqual(['follow'])
    await bob.apply([change])
    await bob.apply([change])
    expect(await reasonsOf(alice)).toEqual(['starterpack-joined', 'follow'])
  })

  test('are stored while an account follows them, and shown in its timeline', async () => {
    const [alice, bob] = [await account(), remote()]
    expect((await bob.post('Before')).applied).toEqual(skipped)
    const follow = await social.follow(alice, bob)
    const { uri } = await bob.post('After')
    await bob.write('app.bsky.feed.repost', {
      subject: refOf(await social.post(await account(), { text: 'Reposted' })),
    })
    expect(await textsFor(alice)).toEqual(['Reposted', 'After'])
    expect(await postOf({ uri }, alice)).toMatchObject({
      author: { did: bob.did, viewer: { following: follow.uri.replace('app.example', 'app.bsky') } },
    })
    await social.remove(alice, follow)
    expect((await bob.post('Later')).applied).toEqual(skipped)
  })

  test('notify subscribers once', async () => {
    const [alice, bob] = [await account(), remote()]
    const activitySubscription = { post: true, reply: false }
    await server.post(
      'app.bsky.notification.putActivitySubscription',
      { subject: bob.did, activitySubscription },
      alice,
    )
    const post = await bob.change('app.bsky.feed.post', { text: 'News' })
    await bob.apply([post])
    await bob.apply([post])
    expect(await reasonsOf(alice)).toEqual(['subscribed-post'])
  })

  test('are stored if a record here refers to them, with their gates', async () => {
    const [alice, bob, carol] = [await account(), remote(), remote()]
    const change = await bob.change('app.bsky.feed.post', { text: 'Root' })
    const uri = `at://${bob.did}/app.bsky.feed.post/${change.rkey}`
    const gate = (more = {}) =>
      bob.write('app.bsky.feed.threadgate', { post: uri, allow: [], ...more }, { rkey: change.rkey })
    expect((await gate()).applied).toEqual(skipped)
    const root = { uri, cid: change.content?.cid ?? '' }
    await social.reply(alice, root)
    expect(await bob.apply([change], { notify: false })).toEqual(stored)
    expect((await gate()).applied).toEqual(stored)
    expect((await carol.post('Against the gate', { ...reply(root), ...mention(alice) })).applied).toEqual(
      stored,
    )
    const thread = async () => (await server.get('app.bsky.feed.getPostThread', { uri })).body.thread
    expect(await thread()).toMatchObject({
      post: { author: { did: bob.did }, replyCount: 2, threadgate: { uri: expect.any(String) } },
      replies: [{ post: { author: { did: alice.did } } }],
    })
    await gate({ createdAt: '2029-12-31T00:00:00Z' })
    expect(await thread()).toMatchObject({ replies: [] })
  })

  test('go after three months, unless something here refers to them', async () => {
    const [alice, bob] = [await account(), remote()]
    await social.follow(alice, bob)
    const liked = await bob.post('Liked')
    await bob.post('Mention', mention(alice))
    await bob.post('Not liked')
    await social.like(alice, liked)
    await bob.write('app.bsky.actor.profile', { displayName: 'Bob' }, { rkey: 'self' })
    await server.elapse(91 * day)
    await server.running.services.federation.intake.deleteOutdated()
    const { body } = await server.get('app.bsky.feed.getAuthorFeed', { actor: bob.did })
    const texts = body.feed.map(({ post }: { post: { record: { text: string } } }) => post.record.text)
    expect(texts).toEqual(['Mention', 'Liked'])
    expect(await postOf(liked)).toMatchObject({ author: { displayName: 'Bob' } })
  })

  test('that an account has bookmarked stay', async () => {
    const [alice, bob] = [await account(), remote()]
    await social.follow(alice, bob)
    const { uri, cid } = await bob.post('Saved')
    await server.post('app.bsky.bookmark.createBookmark', { uri, cid }, alice)
    await server.elapse(91 * day)
    await server.running.services.federation.intake.deleteOutdated()
    expect(await postOf({ uri })).toMatchObject({ record: { text: 'Saved' } })
  })

  test('and whatever else refers to an account go with that account', async () => {
    const [alice, bob] = [await account(), remote()]
    await bob.follow(alice)
    await bob.write('app.bsky.actor.profile', { displayName: 'Bob' }, { rkey: 'self' })
    await server.running.services.federation.intake.deleteOutdated()
    expect(server.running.services.federation.filter.isKnown(bob.did)).toBe(true)
    await server.post('com.core.admin.deleteAccount', { did: alice.did }, adminAuth)
    await server.running.services.federation.intake.deleteOutdated()
    expect(server.running.services.federation.filter.isKnown(bob.did)).toBe(false)
  })

  test('and their profiles are forgotten when nothing here refers to them', async () => {
    const [alice, bob] = [await account(), remote()]
    const { applied } = await bob.write('app.bsky.actor.profile', { displayName: 'Bob' }, { rkey: 'self' })
    expect(applied).toEqual(skipped)
    const follow = await social.follow(alice, bob)
    await bob.write('app.bsky.actor.profile', { displayName: 'Bob' }, { rkey: 'self' })
    await bob.post('Some')
    await social.remove(alice, follow)
    expect(server.running.services.federation.filter.isKnown(bob.did)).toBe(true)
    await server.elapse(91 * day)
    await server.running.services.federation.intake.deleteOutdated()
    expect(server.running.services.federation.filter.isKnown(bob.did)).toBe(false)
  })
})

describe('the status of someone on another server', () => {
  test('hides and shows what they wrote; deletion removes it', async () => {
    const [alice, bob] = [await account(), remote()]
    const { intake } = server.running.services.federation
    const post = await social.post(alice)
    const written = await bob.post('Reply', reply(post))
    await bob.write('app.bsky.graph.verification', {
      subject: alice.did,
      handle: alice.handle,
      displayName: '',
    })
    const shown = ['verified', 'reply']
    await social.follow(alice, bob)
    for (const status of ['deactivated', 'suspended', 'takendown'] as const) {
      await intake.setStatus(bob.did, status)
      expect([await reasonsOf(alice), await postOf(written)]).toEqual([[], undefined])
      await intake.setStatus(bob.did, undefined)
      expect(await reasonsOf(alice)).toEqual(shown)
    }
    await intake.setStatus(bob.did, 'deleted')
    expect(await bob.apply([await bob.change('app.bsky.feed.like', { subject: post })])).toEqual(skipped)
    await intake.setStatus(bob.did, undefined)
    expect(await reasonsOf(alice)).toEqual([])
    expect(await postOf(post)).toMatchObject({ replyCount: 0 })
    expect((await bob.like(post)).applied).toEqual(stored)
  })

  test('is not changed for accounts here', async () => {
    const alice = await account()
    await server.running.services.federation.intake.setStatus(alice.did, 'deleted')
    expect((await server.get('app.bsky.actor.getProfile', { actor: alice.did })).status).toBe(200)
  })

  test('is active again when a deleted account lives elsewhere', async () => {
    const [alice, bob] = [await account(), await account()]
    const post = await social.post(alice)
    const old = new RemoteAuthor(server, bob.did as `did:plc:${string}`)
    const before = await old.change('app.bsky.feed.like', { subject: post })
    await social.follow(alice, bob)
    await social.post(bob)
    await server.post('com.core.admin.deleteAccount', { did: bob.did }, adminAuth)
    expect(await old.apply([before])).toEqual(skipped)
    expect((await old.like(post)).applied).toEqual(stored)
    expect(await reasonsOf(alice)).toEqual(['like'])
    expect((await old.post('Elsewhere')).applied).toEqual(stored)
    expect(await textsFor(alice)).toContain('Elsewhere')
  })
})

describe('someone from another server who gets an account here', () => {
  let host: DidHost
  beforeAll(async () => {
    host = await startDidHost()
  })
  afterAll(() => host.close())

  test('starts with the repository of the account alone', async () => {
    const moving = await TestServer.start({ allowPrivateTargets: true })
    try {
      const alice = await moving.account('alice')
      const post = await SocialServer.on(moving).post(alice)
      const bob = new RemoteAuthor(moving, host.did as `did:plc:${string}`)
      const like = await bob.change('app.bsky.feed.like', { subject: post })
      const removed = await bob.like(post)
      await bob.remove(removed)
      expect(await bob.apply([like])).toEqual(stored)
      const moved = await movingAccount(moving, host, 'bob')
      expect(await bob.apply([await bob.change('app.bsky.feed.like', { subject: post })])).toEqual(skipped)
      const { body } = await moving.get('app.bsky.feed.getPosts', { uris: [post.uri] })
      expect(body.posts).toMatchObject([{ likeCount: 0 }])
      const list = await moving.get('app.bsky.notification.listNotifications', {}, alice)
      expect(list.body.notifications).toEqual([])
      await arrive(moving, host, moved)
      const input = {
        collection: 'app.bsky.feed.like',
        rkey: like.rkey,
        record: { subject: post, createdAt: '2030-01-01T00:00:00Z' },
      }
      expect((await moving.post('com.core.repo.putRecord', { ...input, repo: bob.did }, moved)).status).toBe(
        200,
      )
    } finally {
      await moving.close()
    }
  })
})
