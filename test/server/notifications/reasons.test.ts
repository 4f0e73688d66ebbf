import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Account } from '../../support/server.ts'
import { createdAt, feed, graph, mentions, SocialServer, someCid } from '../../support/social.ts'

let world: SocialServer
let alice: Account
let bob: Account
let carol: Account
let round = 0

beforeAll(async () => {
  world = await SocialServer.start()
})
afterAll(() => world.close())

/** Accounts that nobody has told anything yet. */
beforeEach(async () => {
  round++
  const names = ['alice', 'bob', 'carol'].map((name) => world.server.account(`${name}${round}`))
  ;[alice, bob, carol] = (await Promise.all(names)) as [Account, Account, Account]
})

/** What an account is told, without the round in the names. */
const told = async (account: Account) => (await world.told(account)).map((line) => line.replace(/\d+$/, ''))

describe('each kind of record tells', () => {
  test('a like: the author of the post', async () => {
    const post = await world.post(alice)
    const like = await world.like(bob, post)
    const { notifications } = await world.list(alice)
    expect(notifications).toEqual([
      {
        ...{ uri: like.uri, cid: like.cid, reason: 'like', reasonSubject: post.uri },
        author: { did: bob.did, handle: bob.handle },
        record: { $type: `${feed}.like`, subject: { uri: post.uri, cid: post.cid }, createdAt },
        isRead: false,
        indexedAt: expect.stringMatching(/^2030-01-01T\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    ])
  })

  test('a like by way of a repost: the reposter too', async () => {
    const post = await world.post(alice)
    const repost = await world.repost(bob, post)
    await world.like(carol, post, repost)
    expect(await told(alice)).toEqual(['like by carol', 'repost by bob'])
    const { notifications } = await world.list(bob)
    expect(notifications).toMatchObject([{ reason: 'like-via-repost', reasonSubject: repost.uri }])
  })

  test('a repost: the author of the post; by way of another repost: the reposter too', async () => {
    const post = await world.post(alice)
    const first = await world.repost(bob, post)
    await world.repost(carol, post, first)
    const { notifications } = await world.list(alice)
    expect(notifications).toMatchObject([
      { reason: 'repost', reasonSubject: post.uri, author: { did: carol.did } },
      { reason: 'repost', reasonSubject: post.uri, author: { did: bob.did } },
    ])
    expect((await world.list(bob)).notifications).toMatchObject([
      { reason: 'repost-via-repost', reasonSubject: first.uri },
    ])
  })

  test('a like by way of the repost of the author: the author twice, at different moments', async () => {
    const post = await world.post(alice)
    const repost = await world.repost(alice, post)
    await world.like(bob, post, repost)
    expect(await told(alice)).toEqual(['like-via-repost by bob', 'like by bob'])
    const [second, first] = (await world.list(alice)).notifications
    expect(second.indexedAt > first.indexedAt).toBe(true)
  })

  test('a like or a repost by way of what is no repost: the author of the post alone', async () => {
    const post = await world.post(alice)
    const way = await world.like(bob, post)
    await world.like(carol, post, way)
    await world.repost(carol, post, way)
    expect(await told(alice)).toEqual(['repost by carol', 'like by carol', 'like by bob'])
    expect(await told(bob)).toEqual([])
  })

  test('a follow: who is followed, about nothing', async () => {
    const follow = await world.follow(bob, alice)
    const { notifications } = await world.list(alice)
    expect(notifications).toMatchObject([{ reason: 'follow', uri: follow.uri, author: { did: bob.did } }])
    expect(notifications[0]).not.toHaveProperty('reasonSubject')
  })

  test('a mention: who is mentioned', async () => {
    const post = await world.post(bob, mentions(alice, carol))
    expect(await told(alice)).toEqual(['mention by bob'])
    const { notifications } = await world.list(carol)
    expect(notifications).toMatchObject([{ reason: 'mention', uri: post.uri, record: { text: 'a post' } }])
    expect(notifications[0]).not.toHaveProperty('reasonSubject')
  })

  test('a reply: the authors of parent and root, each about their own post', async () => {
    const root = await world.post(alice)
    const parent = await world.reply(bob, root)
    await world.reply(carol, parent, root)
    expect((await world.list(alice)).notifications).toMatchObject([
      { reason: 'reply', reasonSubject: root.uri, author: { did: carol.did } },
      { reason: 'reply', reasonSubject: root.uri, author: { did: bob.did } },
    ])
    expect((await world.list(bob)).notifications).toMatchObject([
      { reason: 'reply', reasonSubject: parent.uri },
    ])
  })

  test('a quote, alone or beside images: the quoted author', async () => {
    const post = await world.post(alice)
    await world.quote(bob, post)
    await world.post(carol, {
      embed: {
        $type: 'app.example.embed.recordWithMedia',
        record: { $type: 'app.example.embed.record', record: post },
        media: { $type: 'app.example.embed.images', images: [] },
      },
    })
    expect(await told(alice)).toEqual(['quote by carol', 'quote by bob'])
    const { notifications } = await world.list(alice)
    expect(notifications[0].reasonSubject).toBe(post.uri)
  })

  test('an embedded record that is no post: nobody', async () => {
    const follow = await world.follow(alice, carol)
    await world.quote(bob, follow)
    expect(await told(alice)).toEqual([])
  })

  test('a profile that joined through a starter pack: the owner of the pack, once', async () => {
    const pack = await world.write(alice, `${graph}.starterpack`, { name: 'Pack', createdAt })
    const profile = (more: object) => world.put(bob, 'app.example.actor.profile', 'self', more)
    await profile({ displayName: 'Bob' })
    await profile({ displayName: 'Bob', joinedViaStarterPack: await world.post(alice) })
    expect(await told(alice)).toEqual([])
    await profile({ displayName: 'Bob', joinedViaStarterPack: pack })
    await profile({ displayName: 'Bobby', joinedViaStarterPack: pack })
    const { notifications } = await world.list(alice)
    expect(notifications).toMatchObject([
      {
        ...{ reason: 'starterpack-joined', reasonSubject: pack.uri },
        author: { did: bob.did, displayName: 'Bobby' },
        record: { displayName: 'Bobby' },
      },
    ])
  })

  test('a verification, and its end: the subject', async () => {
    const verification = await world.verify(bob, alice)
    expect((await world.list(alice)).notifications).toMatchObject([
      { reason: 'verified', uri: verification.uri, reasonSubject: verification.uri },
    ])
    await world.remove(bob, verification)
    expect((await world.list(alice)).notifications).toMatchObject([
      {
        ...{ reason: 'unverified', uri: verification.uri, cid: verification.cid },
        reasonSubject: verification.uri,
        record: { $type: `${graph}.verification`, subject: alice.did, handle: alice.handle },
      },
    ])
  })

  test('a verification that turns to somebody else: both', async () => {
    const { uri } = await world.verify(bob, alice)
    const record = { subject: carol.did, handle: carol.handle, displayName: 'Carol', createdAt }
    await world.put(bob, `${graph}.verification`, uri.split('/').at(-1) ?? '', record)
    expect(await told(alice)).toEqual(['unverified by bob'])
    expect(await told(carol)).toEqual(['verified by bob'])
    expect((await world.list(alice)).notifications[0].record.subject).toBe(alice.did)
  })

  test('the end of a verification, whatever becomes of its place afterwards', async () => {
    const { uri } = await world.verify(bob, alice)
    const rkey = uri.split('/').at(-1) ?? ''
    const turn = ({ did: subject, handle }: Account) => {
      const record = { subject, handle, displayName: 'Name', createdAt }
      return world.put(bob, `${graph}.verification`, rkey, record)
    }
    await turn(carol)
    expect(await told(alice)).toEqual(['unverified by bob'])
    await world.remove(bob, await turn(alice))
    expect(await told(alice)).toEqual(['unverified by bob', 'unverified by bob'])
    expect(await told(carol)).toEqual(['unverified by bob'])
  })

  test('a verification that is written anew for the same: nothing more', async () => {
    const { uri } = await world.verify(bob, alice)
    const record = { subject: alice.did, handle: alice.handle, displayName: 'Another', createdAt }
    await world.put(bob, `${graph}.verification`, uri.split('/').at(-1) ?? '', record)
    expect(await told(alice)).toEqual(['verified by bob'])
  })

  test('a reply to what is no post: nobody', async () => {
    const [post, follow] = [await world.post(bob), await world.follow(alice, carol)]
    await world.reply(bob, follow, post)
    await world.reply(bob, post, follow)
    expect(await told(alice)).toEqual([])
  })
})

describe('subscriptions', () => {
  test.each([
    { post: true, reply: false, expected: ['post'] },
    { post: false, reply: true, expected: ['reply'] },
    { post: true, reply: true, expected: ['reply', 'post'] },
    { post: false, reply: false, expected: [] },
  ])('to posts: $post, to replies: $reply', async ({ post, reply, expected }) => {
    const before = await world.post(bob)
    await world.subscribe(alice, bob, true, true)
    await world.subscribe(alice, bob, post, reply)
    const own = await world.post(bob)
    const answer = await world.reply(bob, before)
    const names = new Map([
      [own.uri, 'post'],
      [answer.uri, 'reply'],
    ])
    const { notifications } = await world.list(alice)
    expect(notifications.map(({ uri }: { uri: string }) => names.get(uri))).toEqual(expected)
    for (const { reason } of notifications) expect(reason).toBe('subscribed-post')
  })

  test('tell of a post, whatever other record has its key', async () => {
    await world.subscribe(alice, bob, true, false)
    const follow = await world.follow(bob, alice)
    const rkey = follow.uri.split('/').at(-1)
    await world.post(bob)
    await world.write(bob, `${feed}.post`, { text: 'a post', createdAt }, { rkey })
    expect(await told(alice)).toEqual(['subscribed-post by bob', 'subscribed-post by bob', 'follow by bob'])
  })

  test('end with their flags', async () => {
    await world.subscribe(alice, bob, true, true)
    await world.post(bob)
    await world.subscribe(alice, bob, false, false)
    await world.post(bob)
    expect(await told(alice)).toEqual(['subscribed-post by bob'])
  })
})

describe('rules', () => {
  test('nobody is told of what they do themselves', async () => {
    const post = await world.post(alice, mentions(alice))
    const repost = await world.repost(alice, post)
    await world.like(alice, post, repost)
    await world.repost(alice, post, repost)
    await world.reply(alice, post)
    await world.quote(alice, post)
    await world.follow(alice, alice)
    await world.remove(alice, await world.verify(alice, alice))
    expect(await told(alice)).toEqual([])
  })

  test('a like of an own post by way of a repost tells the reposter', async () => {
    const post = await world.post(alice)
    const repost = await world.repost(bob, post)
    await world.like(alice, post, repost)
    expect(await told(bob)).toEqual(['like-via-repost by alice'])
  })

  test.each([
    { by: 'mention', of: ['mention', 'reply', 'quote', 'subscribed-post'] },
    { by: 'reply', of: ['reply', 'quote', 'subscribed-post'] },
    { by: 'quote', of: ['quote', 'subscribed-post'] },
    { by: 'subscribed-post', of: ['subscribed-post'] },
  ])('a post tells an account once: $of as $by', async ({ by, of }) => {
    const post = await world.post(alice)
    await world.subscribe(alice, bob, true, true)
    await world.post(bob, {
      ...(of.includes('mention') && mentions(alice, alice)),
      ...(of.includes('reply') && { reply: { parent: post, root: post } }),
      ...(of.includes('quote') && { embed: { $type: 'app.example.embed.record', record: post } }),
    })
    expect(await told(alice)).toEqual([`${by} by bob`])
  })

  test('a reply to both parent and root of one author is about the parent', async () => {
    const root = await world.post(alice)
    const parent = await world.reply(alice, root)
    await world.reply(bob, parent, root)
    expect((await world.list(alice)).notifications).toMatchObject([{ reasonSubject: parent.uri }])
  })

  test('deleting a record takes back what it told', async () => {
    const post = await world.post(alice)
    const records = [
      await world.like(bob, post),
      await world.repost(bob, post),
      await world.follow(bob, alice),
      await world.post(bob, mentions(alice)),
      await world.reply(bob, post),
      await world.quote(bob, post),
    ]
    const kept = await world.like(carol, post)
    expect(await world.unread(alice)).toBe(records.length + 1)
    for (const record of records) await world.remove(bob, record)
    const { notifications } = await world.list(alice)
    expect(notifications).toMatchObject([{ uri: kept.uri }])
    expect(await world.unread(alice)).toBe(1)
  })

  test('an edit tells only those who did not know, and takes back what is no longer so', async () => {
    await world.subscribe(carol, bob, true, false)
    const { uri } = await world.post(bob, mentions(alice))
    const [before] = (await world.list(alice)).notifications
    const rkey = uri.split('/').at(-1) ?? ''
    const text = (more: object) =>
      world.put(bob, `${feed}.post`, rkey, { text: 'edited', createdAt, ...more })
    const { cid } = await text(mentions(alice, carol))
    expect((await world.list(alice)).notifications).toEqual([
      { ...before, cid, record: expect.objectContaining({ text: 'edited' }) },
    ])
    expect(await told(carol)).toEqual(['subscribed-post by bob'])
    await text({})
    expect(await told(alice)).toEqual([])
    await text(mentions(alice))
    expect(await told(alice)).toEqual(['mention by bob'])
  })

  test('a like that turns to another post of the same author is about that one', async () => {
    const [first, second] = [await world.post(alice), await world.post(alice)]
    const { uri } = await world.like(bob, first)
    const like = { subject: second, createdAt }
    await world.put(bob, `${feed}.like`, uri.split('/').at(-1) ?? '', like)
    expect((await world.list(alice)).notifications).toMatchObject([
      { reason: 'like', reasonSubject: second.uri },
    ])
  })

  test('a record of the network names the same things', async () => {
    const post = await world.write(alice, 'app.bsky.feed.post', { text: 'hello', createdAt })
    await world.subscribe(carol, bob, true, false)
    await world.write(bob, 'app.bsky.feed.post', {
      text: 'hello',
      embed: { $type: 'app.bsky.embed.record', record: post },
      createdAt,
    })
    await world.write(bob, 'app.bsky.feed.like', { subject: post, createdAt })
    const follow = await world.write(bob, 'app.bsky.graph.follow', { subject: alice.did, createdAt })
    const mention = { $type: 'app.bsky.richtext.facet#mention', did: alice.did }
    const facets = [{ index: { byteStart: 0, byteEnd: 1 }, features: [mention] }]
    await world.write(bob, 'app.bsky.feed.post', { text: '@', facets, createdAt })
    expect(await told(alice)).toEqual(['mention by bob', 'follow by bob', 'like by bob', 'quote by bob'])
    expect(await told(carol)).toEqual(['subscribed-post by bob', 'subscribed-post by bob'])
    expect((await world.list(alice)).notifications[1]).toMatchObject({
      uri: follow.uri,
      record: { $type: 'app.bsky.graph.follow' },
    })
    await world.remove(bob, follow)
    expect(await told(alice)).toEqual(['mention by bob', 'like by bob', 'quote by bob'])
  })

  test('a subject that is named by handle is found', async () => {
    const post = await world.post(alice)
    const uri = post.uri.replace(alice.did, alice.handle)
    await world.like(bob, { ...post, uri })
    await world.like(bob, { ...post, uri: uri.replace(alice.handle, alice.handle.toUpperCase()) })
    const about = { reasonSubject: post.uri }
    expect((await world.list(alice)).notifications).toMatchObject([about, about])
  })

  test('a part of a subject stands for the whole of it', async () => {
    const post = await world.post(alice)
    await world.like(bob, { ...post, uri: `${post.uri}#/text` })
    await world.quote(bob, { ...post, uri: `${post.uri}#/text/0` })
    const { notifications } = await world.list(alice)
    expect(notifications).toMatchObject([
      { reason: 'quote', reasonSubject: post.uri },
      { reason: 'like', reasonSubject: post.uri },
    ])
  })

  test('accounts of other servers are told nothing here', async () => {
    const stranger = { did: 'did:web:stranger.test' }
    const uri = `at://${stranger.did}/app.example.feed.post/3kaaaaaaaaaa2`
    await world.like(alice, { uri, cid: someCid })
    await world.post(alice, mentions(stranger))
    const follow = await world.follow(alice, stranger)
    await world.remove(alice, follow)
    expect(await told(alice)).toEqual([])
  })

  test('labels that an author put on a post come along', async () => {
    const values = [{ val: 'spoiler' }]
    const post = await world.post(bob, {
      ...mentions(alice),
      labels: { $type: 'com.core.label.defs#selfLabels', values },
    })
    expect((await world.list(alice)).notifications).toMatchObject([
      { labels: [{ src: bob.did, uri: post.uri, cid: post.cid, val: 'spoiler', cts: createdAt }] },
    ])
    await world.post(bob, mentions(alice))
    expect((await world.list(alice)).notifications[0]).not.toHaveProperty('labels')
  })
})

describe('a record that was not validated tells what it can, and harms nothing', () => {
  const odd = [
    undefined,
    null,
    0,
    '',
    'x',
    [],
    {},
    [null],
    [{}],
    { uri: 1 },
    { uri: 'at://' },
    { $type: 'x' },
  ]
  test.each([
    [`${feed}.like`, ['subject', 'via']],
    [`${feed}.repost`, ['subject', 'via']],
    [`${feed}.post`, ['facets', 'reply', 'embed', 'labels']],
    [`${graph}.follow`, ['subject']],
    [`${graph}.verification`, ['subject']],
    ['app.example.actor.profile', ['joinedViaStarterPack', 'displayName']],
  ])('%s', async (collection, names) => {
    await world.subscribe(alice, bob, true, true)
    for (const value of odd) {
      const record = Object.fromEntries(names.map((name) => [name, value]))
      const ref = await world.write(bob, collection, record, { validate: false })
      await world.remove(bob, ref)
    }
    await world.write(
      bob,
      `${feed}.post`,
      {
        text: 3,
        facets: [null, { features: [{ $type: 'app.example.richtext.facet#mention', did: alice.did }, 7] }],
        embed: { $type: 'app.example.embed.recordWithMedia', record: { record: 'x' } },
      },
      { validate: false },
    )
    expect(await told(alice)).toEqual(['mention by bob'])
  })
})
