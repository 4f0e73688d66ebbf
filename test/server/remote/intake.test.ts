/** What happens to verified records of other servers: which are stored, and what accounts here see of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RemoteChange } from '../../../server/remote/change.ts'
import { day, hour } from '../../support/clock.ts'
import { counts, RemoteAuthor } from '../../support/remote-author.ts'
import { type Account, adminAuth, TestServer } from '../../support/server.ts'
import { type Ref, SocialServer, someCid } from '../../support/social.ts'

let server: TestServer
let social: SocialServer
let names = 0

beforeAll(async () => {
  server = await TestServer.start()
  social = SocialServer.on(server)
})
afterAll(() => server.close())

const join = () => server.account(`alice${++names}`)
const remote = () => new RemoteAuthor(server)
const stored = counts({ stored: 1 })
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

const reply = (to: Ref) => ({ reply: { root: ref(to), parent: ref(to) } })
const ref = ({ uri, cid }: Ref) => ({ uri, cid })
const mention = ({ did }: { did: string }) => ({
  facets: [
    {
      index: { byteStart: 0, byteEnd: 5 },
      features: [{ $type: 'app.bsky.richtext.facet#mention', did }],
    },
  ],
})

describe('records of other servers', () => {
  test('notify and count once, as those of accounts here', async () => {
    const [alice, bob] = [await join(), remote()]
    const post = await social.post(alice)
    const like = await bob.change('app.bsky.feed.like', { subject: post })
    expect(await bob.apply([like, like])).toEqual(counts({ stored: 1, skipped: 1 }))
    expect(await bob.apply([like])).toEqual(skipped)
    expect(await notificationsOf(alice)).toMatchObject([
      { reason: 'like', author: { did: bob.did }, reasonSubject: post.uri },
    ])
    expect(await postOf(post)).toMatchObject({ likeCount: 1 })
  })

  test('of each kind notify with their reason', async () => {
    const [alice, bob] = [await join(), remote()]
    const post = await social.post(alice)
    const repost = await social.repost(await join(), post)
    await bob.follow(alice)
    await bob.post('Reply', reply(post))
    await bob.post('Quote', { embed: { $type: 'app.bsky.embed.record', record: ref(post) } })
    await bob.post('Hello', mention(alice))
    await bob.write('app.bsky.feed.repost', { subject: ref(post), via: repost })
    await bob.write('app.example.feed.like', { subject: ref(post) })
    const verification = { subject: alice.did, handle: alice.handle, displayName: '' }
    await bob.write('app.bsky.graph.verification', verification)
    expect((await reasonsOf(alice)).slice(0, 7)).toEqual([
      ...['verified', 'like', 'repost', 'mention', 'quote', 'reply', 'follow'],
    ])
    expect(await postOf(post)).toMatchObject({ likeCount: 1, replyCount: 1, quoteCount: 1, repostCount: 2 })
  })

  test('are skipped unless they refer to accounts here or to records that these have', async () => {
    const [alice, bob] = [await join(), remote()]
    const missing = { uri: `at://${alice.did}/app.bsky.feed.post/3kaaaaaaaaaa2`, cid: someCid }
    expect((await bob.like(missing)).applied).toEqual(skipped)
    expect((await bob.follow(remote())).applied).toEqual(skipped)
    expect((await bob.post('Nothing to do with anyone here')).applied).toEqual(skipped)
    expect((await bob.write('com.example.thing', { subject: alice.did })).applied).toEqual(skipped)
    expect(await reasonsOf(alice)).toEqual([])
  })

  test('that refer by a handle are skipped: it may be that of another account elsewhere', async () => {
    const [alice, bob] = [await join(), remote()]
    const { uri, cid } = await social.post(alice)
    const byHandle = { uri: uri.replace(alice.did, alice.handle), cid }
    expect((await bob.like(byHandle)).applied).toEqual(skipped)
    expect((await bob.post('Reply', { ...reply(byHandle), ...mention(alice) })).applied).toEqual(skipped)
    expect(await reasonsOf(alice)).toEqual([])
  })

  test('of accounts here are ignored: their own server knows best', async () => {
    const [alice, bob] = [await join(), await join()]
    const post = await social.post(alice)
    expect((await new RemoteAuthor(server, bob.did as `did:plc:${string}`).like(post)).applied).toEqual(
      skipped,
    )
  })

  test('of muted and blocked authors are skipped, unless they concern another account too', async () => {
    const [alice, carol, bob] = [await join(), await join(), remote()]
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
    const [alice, bob] = [await join(), remote()]
    const post = await social.post(alice)
    const like = { subject: ref(post) }
    let deep: unknown = 'end'
    for (let depth = 0; depth < 150; depth++) deep = [deep]
    const rows: [string, object][] = [
      ['app.bsky.feed.like', { ...like, $type: 'app.bsky.feed.repost' }],
      ['app.bsky.feed.like', { ...like, extra: deep }],
      ['app.bsky.feed.like', { ...like, extra: 2n ** 60n }],
      ['app.bsky.feed.like', { ...like, extra: 'x'.repeat(100_001) }],
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
    const [alice, bob] = [await join(), remote()]
    const post = await social.post(alice)
    const [first, second, third, fourth] = [1, 2, 3, 4].map(() => bob.nextTid())
    const like = (rev: string | undefined, record: object | undefined = { subject: ref(post) }) =>
      bob.change('app.bsky.feed.like', record, { rkey: '3kaaaaaaaaaa2', ...(rev && { rev }) })
    const deletion = await bob.change('app.bsky.feed.like', undefined, {
      rkey: '3kaaaaaaaaaa2',
      rev: third ?? '',
    })
    expect(await bob.apply([await like(second)])).toEqual(stored)
    expect(await bob.apply([await like(first, { subject: ref(post), via: ref(post) })])).toEqual(skipped)
    expect(await bob.apply([deletion])).toEqual(deleted)
    expect(await bob.apply([await like(second)])).toEqual(skipped)
    expect(await reasonsOf(alice)).toEqual([])
    expect(await bob.apply([await like(fourth)])).toEqual(stored)
    expect(await bob.apply([deletion])).toEqual(skipped)
    expect(await postOf(post)).toMatchObject({ likeCount: 1 })
  })

  test('under a name and under its alias are those of one record', async () => {
    const [alice, bob] = [await join(), remote()]
    const post = await social.post(alice)
    const like = { subject: ref(post) }
    const { rkey } = await bob.write('app.bsky.feed.like', like)
    const [before] = await notificationsOf(alice)
    const rev = bob.nextTid()
    const moved = [
      await bob.change('app.bsky.feed.like', undefined, { rkey, rev }),
      await bob.change('app.example.feed.like', like, { rkey, rev }),
    ]
    expect(await bob.apply(moved)).toEqual(counts({ stored: 1, skipped: 1 }))
    expect(await postOf(post)).toMatchObject({ likeCount: 1 })
    const [after] = await notificationsOf(alice)
    expect(after).toMatchObject({
      indexedAt: before?.indexedAt,
      uri: `at://${bob.did}/app.example.feed.like/${rkey}`,
    })
    expect(await bob.remove({ uri: `at://${bob.did}/app.bsky.feed.like/${rkey}` })).toEqual(deleted)
  })

  test('take back what no longer applies', async () => {
    const [alice, carol, bob] = [await join(), await join(), remote()]
    const { rkey } = await bob.post('Hello', mention(alice))
    await bob.post('Hello', mention(carol), { rkey })
    expect([await reasonsOf(alice), await reasonsOf(carol)]).toEqual([[], ['mention']])
    expect((await bob.post('Hello', {}, { rkey })).applied).toEqual(deleted)
    expect(await reasonsOf(carol)).toEqual([])
  })

  test('that are caught up with can be stored without notifying', async () => {
    const [alice, bob] = [await join(), remote()]
    const post = await social.post(alice)
    await bob.like(post, { notify: false })
    expect(await postOf(post)).toMatchObject({ likeCount: 1 })
    expect(await reasonsOf(alice)).toEqual([])
  })
})

describe('posts of people on other servers', () => {
  test('are stored while an account follows them, and shown in its timeline', async () => {
    const [alice, bob] = [await join(), remote()]
    expect((await bob.post('Before')).applied).toEqual(skipped)
    const follow = await social.follow(alice, bob)
    const { uri } = await bob.post('After')
    await bob.write('app.bsky.feed.repost', {
      subject: ref(await social.post(await join(), { text: 'Reposted' })),
    })
    expect(await textsFor(alice)).toEqual(['Reposted', 'After'])
    expect(await postOf({ uri }, alice)).toMatchObject({
      author: { did: bob.did, viewer: { following: follow.uri } },
    })
    await social.remove(alice, follow)
    expect((await bob.post('Later')).applied).toEqual(skipped)
  })

  test('notify subscribers once', async () => {
    const [alice, bob] = [await join(), remote()]
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
    const [alice, bob, carol] = [await join(), remote(), remote()]
    const change = await bob.change('app.bsky.feed.post', { text: 'Root' })
    const uri = `at://${bob.did}/app.bsky.feed.post/${change.rkey}`
    const gate = () => bob.write('app.bsky.feed.threadgate', { post: uri, allow: [] }, { rkey: change.rkey })
    expect((await gate()).applied).toEqual(skipped)
    const root = { uri, cid: change.content?.cid ?? '' }
    await social.reply(alice, root)
    expect(await bob.apply([change], { notify: false })).toEqual(stored)
    expect((await gate()).applied).toEqual(stored)
    expect((await carol.post('Against the gate', { ...reply(root), ...mention(alice) })).applied).toEqual(
      stored,
    )
    const { body } = await server.get('app.bsky.feed.getPostThread', { uri })
    expect(body.thread).toMatchObject({
      post: { author: { did: bob.did }, replyCount: 2, threadgate: { uri: expect.any(String) } },
    })
    expect(body.thread.replies).toMatchObject([{ post: { author: { did: alice.did } } }])
  })

  test('go after three months, unless something here refers to them', async () => {
    const [alice, bob] = [await join(), remote()]
    await social.follow(alice, bob)
    const liked = await bob.post('Liked')
    await bob.post('Mention', mention(alice))
    await bob.post('Not liked')
    await social.like(alice, liked)
    await bob.write('app.bsky.actor.profile', { displayName: 'Bob' }, { rkey: 'self' })
    server.clock.advance(91 * day)
    await server.running.services.intake.deleteOutdated()
    const { body } = await server.get('app.bsky.feed.getAuthorFeed', { actor: bob.did })
    const texts = body.feed.map(({ post }: { post: { record: { text: string } } }) => post.record.text)
    expect(texts).toEqual(['Mention', 'Liked'])
    expect(await postOf(liked)).toMatchObject({ author: { displayName: 'Bob' } })
  })

  test('and their profiles are forgotten when nothing here refers to them', async () => {
    const [alice, bob] = [await join(), remote()]
    const { applied } = await bob.write('app.bsky.actor.profile', { displayName: 'Bob' }, { rkey: 'self' })
    expect(applied).toEqual(skipped)
    const follow = await social.follow(alice, bob)
    await bob.write('app.bsky.actor.profile', { displayName: 'Bob' }, { rkey: 'self' })
    await bob.post('Some')
    await social.remove(alice, follow)
    expect(server.running.services.interest.isKnown(bob.did)).toBe(true)
    server.clock.advance(91 * day)
    await server.running.services.intake.deleteOutdated()
    expect(server.running.services.interest.isKnown(bob.did)).toBe(false)
  })
})

describe('the status of someone on another server', () => {
  test('hides and shows what they wrote; deletion removes it', async () => {
    const [alice, bob] = [await join(), remote()]
    const { intake } = server.running.services
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
    const alice = await join()
    await server.running.services.intake.setStatus(alice.did, 'deleted')
    expect((await server.get('app.bsky.actor.getProfile', { actor: alice.did })).status).toBe(200)
  })

  test('is active again when a deleted account lives elsewhere', async () => {
    const [alice, bob] = [await join(), await join()]
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

describe('what other servers can make this one store', () => {
  test('is limited by author, by subject and by source', async () => {
    const [alice, bob] = [await join(), remote()]
    const posts = await Promise.all([social.post(alice), social.post(alice)])
    const [liked, other] = posts
    const mentions = await Promise.all(
      Array.from({ length: 305 }, () =>
        bob.change('app.bsky.feed.post', { text: 'Hello', ...mention(alice) }),
      ),
    )
    expect(await bob.apply(mentions)).toEqual(counts({ stored: 300, overBudget: 5 }))
    const like = (subject: Ref): Promise<RemoteChange> => remote().change('app.bsky.feed.like', { subject })
    const likes = await Promise.all(Array.from({ length: 1_010 }, () => like(liked)))
    expect(await bob.apply(likes)).toEqual(counts({ stored: 1_000, overBudget: 10 }))
    expect(await bob.apply([await like(other)])).toEqual(stored)
    expect(await postOf(liked)).toMatchObject({ likeCount: 1_000 })
    server.clock.advance(hour)
    expect(await bob.apply(mentions.slice(300))).toEqual(counts({ stored: 5 }))
  })
})
