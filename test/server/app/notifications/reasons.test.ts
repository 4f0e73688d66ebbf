import { describe, expect, test } from 'vitest'
import type { Account } from '../../../support/server/server.ts'
import { alice, bob, carol, round, server, setupAccounts, social } from '../../../support/server/setup.ts'
import {
  createdAt,
  feed,
  graph,
  mentions,
  type Ref,
  someCid,
  someList,
} from '../../../support/server/social.ts'

setupAccounts()

describe('notifications of a record', () => {
  test('a like notifies the author of the post', async () => {
    const post = await social.post(alice)
    const like = await social.like(bob, post)
    const { notifications } = await social.list(alice)
    expect(notifications).toEqual([
      {
        ...{ uri: like.uri, cid: like.cid, reason: 'like', reasonSubject: post.uri },
        author: {
          ...{ did: bob.did, handle: bob.handle, labels: [] },
          createdAt: expect.stringMatching(/^2030-/),
          viewer: { muted: false, blockedBy: false },
        },
        record: { $type: `${feed}.like`, subject: { uri: post.uri, cid: post.cid }, createdAt },
        isRead: false,
        indexedAt: expect.stringMatching(/^2030-01-01T\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    ])
  })

  test('a like via a repost also notifies the reposter', async () => {
    const post = await social.post(alice)
    const repost = await social.repost(bob, post)
    await social.like(carol, post, repost)
    expect(await social.listed(alice)).toEqual(['like by carol', 'repost by bob'])
    const { notifications } = await social.list(bob)
    expect(notifications).toMatchObject([{ reason: 'like-via-repost', reasonSubject: repost.uri }])
  })

  test('a repost notifies the author of the post, and via a repost also the reposter', async () => {
    const post = await social.post(alice)
    const first = await social.repost(bob, post)
    await social.repost(carol, post, first)
    const { notifications } = await social.list(alice)
    expect(notifications).toMatchObject([
      { reason: 'repost', reasonSubject: post.uri, author: { did: carol.did } },
      { reason: 'repost', reasonSubject: post.uri, author: { did: bob.did } },
    ])
    expect((await social.list(bob)).notifications).toMatchObject([
      { reason: 'repost-via-repost', reasonSubject: first.uri },
    ])
  })

  test('a like via a repost by the author notifies the author twice, with different indexedAt', async () => {
    const post = await social.post(alice)
    const repost = await social.repost(alice, post)
    await social.like(bob, post, repost)
    expect(await social.listed(alice)).toEqual(['like-via-repost by bob', 'like by bob'])
    const [second, first] = (await social.list(alice)).notifications
    expect(second.indexedAt > first.indexedAt).toBe(true)
  })

  test('a second record with the same author, reason and subject does not notify', async () => {
    const post = await social.post(alice)
    const repost = await social.repost(alice, post)
    for (let i = 0; i < 3; i++) {
      await social.like(bob, post, repost)
      await social.repost(bob, post, repost)
      await social.follow(bob, alice)
      await social.verify(bob, alice)
    }
    const once = ['verified', 'follow', 'repost-via-repost', 'repost', 'like-via-repost', 'like']
    expect(await social.listed(alice)).toEqual(once.map((reason) => `${reason} by bob`))
    expect(await social.unread(alice)).toBe(once.length)
    await social.like(carol, post)
    await social.like(bob, await social.post(alice))
    expect(await social.unread(alice)).toBe(once.length + 2)
  })

  test('a like that was deleted and made again notifies again', async () => {
    const post = await social.post(alice)
    await social.remove(bob, await social.like(bob, post))
    expect(await social.listed(alice)).toEqual([])
    const { uri } = await social.like(bob, post)
    expect((await social.list(alice)).notifications).toMatchObject([{ uri, reason: 'like' }])
  })

  test('several replies, quotes and mentions of one author all notify', async () => {
    const post = await social.post(alice)
    for (let i = 0; i < 2; i++) {
      await social.reply(bob, post)
      await social.quote(bob, post)
      await social.post(bob, mentions(alice))
    }
    expect(await social.unread(alice)).toBe(6)
  })

  test('a like or repost of a missing record is ignored', async () => {
    const post = await social.post(alice)
    const madeUp = { uri: `at://${alice.did}/${feed}.post/3jzfcijpj2z2a`, cid: post.cid }
    const noRepost = { uri: `at://${alice.did}/${feed}.repost/3jzfcijpj2z2a`, cid: post.cid }
    await social.like(bob, madeUp)
    await social.repost(bob, madeUp)
    await social.remove(alice, post)
    await social.like(bob, post)
    await social.like(bob, await social.post(carol), noRepost)
    expect(await social.listed(alice)).toEqual([])
    expect(await social.unread(alice)).toBe(0)
  })

  test('a like or repost via a record that is not a repost notifies only the author of the post', async () => {
    const post = await social.post(alice)
    const way = await social.like(bob, post)
    await social.like(carol, post, way)
    await social.repost(carol, post, way)
    expect(await social.listed(alice)).toEqual(['repost by carol', 'like by carol', 'like by bob'])
    expect(await social.listed(bob)).toEqual([])
  })

  test('a follow notifies the followed account, without reasonSubject', async () => {
    const follow = await social.follow(bob, alice)
    const { notifications } = await social.list(alice)
    expect(notifications).toMatchObject([{ reason: 'follow', uri: follow.uri, author: { did: bob.did } }])
    expect(notifications[0]).not.toHaveProperty('reasonSubject')
  })

  test('a mention notifies the mentioned accounts, without reasonSubject', async () => {
    const post = await social.post(bob, mentions(alice, carol))
    expect(await social.listed(alice)).toEqual(['mention by bob'])
    const { notifications } = await social.list(carol)
    expect(notifications).toMatchObject([{ reason: 'mention', uri: post.uri, record: { text: 'a post' } }])
    expect(notifications[0]).not.toHaveProperty('reasonSubject')
  })

  test('a reply notifies the authors of parent and root, each with their own post as reasonSubject', async () => {
    const root = await social.post(alice)
    const parent = await social.reply(bob, root)
    await social.reply(carol, parent, root)
    expect((await social.list(alice)).notifications).toMatchObject([
      { reason: 'reply', reasonSubject: root.uri, author: { did: carol.did } },
      { reason: 'reply', reasonSubject: root.uri, author: { did: bob.did } },
    ])
    expect((await social.list(bob)).notifications).toMatchObject([
      { reason: 'reply', reasonSubject: parent.uri },
    ])
  })

  describe('a reply deep in a thread', () => {
    /** Replies of alternating authors below each other. */
    const thread = async (...authors: readonly Account[]) => {
      const [first = alice, ...others] = authors
      const posts = [await social.post(first)]
      for (const author of others) posts.push(await social.reply(author, posts.at(-1) as Ref, posts[0]))
      return posts
    }
    const subjects = async (account: Account, by: Account) =>
      (await social.list(account)).notifications
        .filter(({ author }: { author: { did: string } }) => author.did === by.did)
        .map(({ reasonSubject }: { reasonSubject: string }) => reasonSubject)

    test('notifies the authors of four posts above, each once and with the nearest of their posts', async () => {
      const dan = await server.account(`dan${round}`)
      const posts = await thread(dan, alice, bob, bob, alice, dan, carol)
      expect(await subjects(bob, carol)).toEqual([posts[3]?.uri])
      expect(await subjects(alice, carol)).toEqual([posts[4]?.uri])
      expect(await subjects(dan, carol)).toEqual([posts[5]?.uri])
    })

    test('does not notify authors further up, except that of the root', async () => {
      const posts = await thread(alice, bob, carol, carol, carol, carol)
      expect(await subjects(bob, carol)).toEqual(Array(4).fill(posts[1]?.uri))
      await social.reply(carol, posts[5] as Ref, posts[0])
      expect(await subjects(bob, carol)).toHaveLength(4)
      expect(await subjects(alice, carol)).toHaveLength(5)
    })

    test('does not notify its own author', async () => {
      await thread(carol, alice, carol, alice, carol)
      expect(await subjects(carol, carol)).toEqual([])
    })

    test('is hidden from authors above whom its author blocks, and keeps its notifications when it is edited', async () => {
      const posts = await thread(alice, bob, carol)
      const reply = posts[2] as Ref
      const text = { text: 'edited', reply: { parent: posts[1], root: posts[0] }, createdAt }
      const [before] = (await social.list(alice)).notifications
      await social.put(carol, `${feed}.post`, reply.uri.split('/').at(-1) ?? '', text)
      expect((await social.list(alice)).notifications[0].indexedAt).toBe(before.indexedAt)
      await social.write(carol, `${graph}.block`, { subject: alice.did, createdAt })
      expect(await subjects(alice, carol)).toEqual([])
      expect(await subjects(bob, carol)).toEqual([posts[1]?.uri])
    })

    test('notifies no further up than a reply that the author of the thread has hidden', async () => {
      const posts = await thread(alice, bob, bob, bob)
      const [root, , hidden, last] = posts as [Ref, Ref, Ref, Ref]
      const rkey = root.uri.split('/').at(-1) ?? ''
      const gate = { post: root.uri, hiddenReplies: [hidden.uri], createdAt }
      await social.put(alice, `${feed}.threadgate`, rkey, gate)
      await social.reply(carol, last, root)
      expect(await subjects(bob, carol)).toEqual([last.uri])
      expect(await subjects(alice, carol)).toEqual([])
    })
  })

  test('a quote, alone or with images, notifies the quoted author', async () => {
    const post = await social.post(alice)
    await social.quote(bob, post)
    await social.post(carol, {
      embed: {
        $type: 'app.example.embed.recordWithMedia',
        record: { $type: 'app.example.embed.record', record: post },
        media: { $type: 'app.example.embed.images', images: [] },
      },
    })
    expect(await social.listed(alice)).toEqual(['quote by carol', 'quote by bob'])
    const { notifications } = await social.list(alice)
    expect(notifications[0].reasonSubject).toBe(post.uri)
  })

  test('a quote of a record that is not a post notifies no account', async () => {
    const follow = await social.follow(alice, carol)
    await social.quote(bob, follow)
    expect(await social.listed(alice)).toEqual([])
  })

  test('a profile with a starter pack notifies the owner of the pack once', async () => {
    const pack = await social.write(alice, `${graph}.starterpack`, {
      name: 'Pack',
      list: someList,
      createdAt,
    })
    const profile = (more: object) => social.put(bob, 'app.example.actor.profile', 'self', more)
    await profile({ displayName: 'Bob' })
    await profile({ displayName: 'Bob', joinedViaStarterPack: await social.post(alice) })
    expect(await social.listed(alice)).toEqual([])
    await profile({ displayName: 'Bob', joinedViaStarterPack: pack })
    await profile({ displayName: 'Bobby', joinedViaStarterPack: pack })
    const { notifications } = await social.list(alice)
    expect(notifications).toMatchObject([
      {
        ...{ reason: 'starterpack-joined', reasonSubject: pack.uri },
        author: { did: bob.did, displayName: 'Bobby' },
        record: { displayName: 'Bobby' },
      },
    ])
  })

  test('a verification notifies the subject, and so does its deletion', async () => {
    const verification = await social.verify(bob, alice)
    expect((await social.list(alice)).notifications).toMatchObject([
      { reason: 'verified', uri: verification.uri, reasonSubject: verification.uri },
    ])
    await social.remove(bob, verification)
    expect((await social.list(alice)).notifications).toMatchObject([
      {
        ...{ reason: 'unverified', uri: verification.uri, cid: verification.cid },
        reasonSubject: verification.uri,
        record: { $type: `${graph}.verification`, subject: alice.did, handle: alice.handle },
      },
    ])
  })

  test('a verification whose subject changes notifies the old and the new subject', async () => {
    const { uri } = await social.verify(bob, alice)
    const record = { subject: carol.did, handle: carol.handle, displayName: 'Carol', createdAt }
    await social.put(bob, `${graph}.verification`, uri.split('/').at(-1) ?? '', record)
    expect(await social.listed(alice)).toEqual(['unverified by bob'])
    expect(await social.listed(carol)).toEqual(['verified by bob'])
    expect((await social.list(alice)).notifications[0].record.subject).toBe(alice.did)
  })

  test('an unverified notification remains when its record key is reused', async () => {
    const { uri } = await social.verify(bob, alice)
    const rkey = uri.split('/').at(-1) ?? ''
    const rewrite = ({ did: subject, handle }: Account) => {
      const record = { subject, handle, displayName: 'Name', createdAt }
      return social.put(bob, `${graph}.verification`, rkey, record)
    }
    await rewrite(carol)
    expect(await social.listed(alice)).toEqual(['unverified by bob'])
    await social.remove(bob, await rewrite(alice))
    expect(await social.listed(alice)).toEqual(['unverified by bob', 'unverified by bob'])
    expect(await social.listed(carol)).toEqual(['unverified by bob'])
  })

  test('an update of a verification with the same subject adds no notification', async () => {
    const { uri } = await social.verify(bob, alice)
    const record = { subject: alice.did, handle: alice.handle, displayName: 'Another', createdAt }
    await social.put(bob, `${graph}.verification`, uri.split('/').at(-1) ?? '', record)
    expect(await social.listed(alice)).toEqual(['verified by bob'])
  })

  test('a reply to a record that is not a post notifies no account', async () => {
    const [post, follow] = [await social.post(bob), await social.follow(alice, carol)]
    await social.reply(bob, follow, post)
    await social.reply(bob, post, follow)
    expect(await social.listed(alice)).toEqual([])
  })
})

describe('activity subscriptions', () => {
  test.each([
    { post: true, reply: false, expected: ['post'] },
    { post: false, reply: true, expected: ['reply'] },
    { post: true, reply: true, expected: ['reply', 'post'] },
    { post: false, reply: false, expected: [] },
  ])('post: $post, reply: $reply notifies of $expected', async ({ post, reply, expected }) => {
    const before = await social.post(bob)
    await social.subscribe(alice, bob, true, true)
    await social.subscribe(alice, bob, post, reply)
    const own = await social.post(bob)
    const answer = await social.reply(bob, before)
    const names = new Map([
      [own.uri, 'post'],
      [answer.uri, 'reply'],
    ])
    const { notifications } = await social.list(alice)
    expect(notifications.map(({ uri }: { uri: string }) => names.get(uri))).toEqual(expected)
    for (const { reason } of notifications) expect(reason).toBe('subscribed-post')
  })

  test('a post notifies subscribers although a follow has the same record key', async () => {
    await social.subscribe(alice, bob, true, false)
    const follow = await social.follow(bob, alice)
    const rkey = follow.uri.split('/').at(-1)
    await social.post(bob)
    await social.write(bob, `${feed}.post`, { text: 'a post', createdAt }, { rkey })
    expect(await social.listed(alice)).toEqual([
      'subscribed-post by bob',
      'subscribed-post by bob',
      'follow by bob',
    ])
  })

  test('posts after the unsubscription create no notification', async () => {
    await social.subscribe(alice, bob, true, true)
    await social.post(bob)
    await social.subscribe(alice, bob, false, false)
    await social.post(bob)
    expect(await social.listed(alice)).toEqual(['subscribed-post by bob'])
  })
})

describe('rules', () => {
  test('accounts are not notified of their own records', async () => {
    const post = await social.post(alice, mentions(alice))
    const repost = await social.repost(alice, post)
    await social.like(alice, post, repost)
    await social.repost(alice, post, repost)
    await social.reply(alice, post)
    await social.quote(alice, post)
    await social.follow(alice, alice)
    await social.remove(alice, await social.verify(alice, alice))
    expect(await social.listed(alice)).toEqual([])
  })

  test('a like of an own post via a repost notifies the reposter', async () => {
    const post = await social.post(alice)
    const repost = await social.repost(bob, post)
    await social.like(alice, post, repost)
    expect(await social.listed(bob)).toEqual(['like-via-repost by alice'])
  })

  test.each([
    { by: 'mention', of: ['mention', 'reply', 'quote', 'subscribed-post'] },
    { by: 'reply', of: ['reply', 'quote', 'subscribed-post'] },
    { by: 'quote', of: ['quote', 'subscribed-post'] },
    { by: 'subscribed-post', of: ['subscribed-post'] },
  ])('a post creates one notification per account: of $of only $by', async ({ by, of }) => {
    const post = await social.post(alice)
    await social.subscribe(alice, bob, true, true)
    await social.post(bob, {
      ...(of.includes('mention') && mentions(alice, alice)),
      ...(of.includes('reply') && { reply: { parent: post, root: post } }),
      ...(of.includes('quote') && { embed: { $type: 'app.example.embed.record', record: post } }),
    })
    expect(await social.listed(alice)).toEqual([`${by} by bob`])
  })

  test('a reply whose parent and root have one author has the parent as reasonSubject', async () => {
    const root = await social.post(alice)
    const parent = await social.reply(alice, root)
    await social.reply(bob, parent, root)
    expect((await social.list(alice)).notifications).toMatchObject([{ reasonSubject: parent.uri }])
  })

  test('deleting a record deletes its notifications', async () => {
    const post = await social.post(alice)
    const records = [
      await social.like(bob, post),
      await social.repost(bob, post),
      await social.follow(bob, alice),
      await social.post(bob, mentions(alice)),
      await social.reply(bob, post),
      await social.quote(bob, post),
    ]
    const kept = await social.like(carol, post)
    expect(await social.unread(alice)).toBe(records.length + 1)
    for (const record of records) await social.remove(bob, record)
    const { notifications } = await social.list(alice)
    expect(notifications).toMatchObject([{ uri: kept.uri }])
    expect(await social.unread(alice)).toBe(1)
  })

  test('an update keeps notifications that still apply, deletes the rest and notifies new recipients', async () => {
    await social.subscribe(carol, bob, true, false)
    const { uri } = await social.post(bob, mentions(alice))
    const [before] = (await social.list(alice)).notifications
    const rkey = uri.split('/').at(-1) ?? ''
    const edit = (more: object) =>
      social.put(bob, `${feed}.post`, rkey, { text: 'edited', createdAt, ...more })
    const { cid } = await edit(mentions(alice, carol))
    expect((await social.list(alice)).notifications).toEqual([
      { ...before, cid, record: expect.objectContaining({ text: 'edited' }) },
    ])
    expect(await social.listed(carol)).toEqual(['subscribed-post by bob'])
    await edit({})
    expect(await social.listed(alice)).toEqual([])
    await edit(mentions(alice))
    expect(await social.listed(alice)).toEqual(['mention by bob'])
  })

  test('a like updated to another post of the author has that post as reasonSubject', async () => {
    const [first, second] = [await social.post(alice), await social.post(alice)]
    const { uri } = await social.like(bob, first)
    const like = { subject: second, createdAt }
    await social.put(bob, `${feed}.like`, uri.split('/').at(-1) ?? '', like)
    expect((await social.list(alice)).notifications).toMatchObject([
      { reason: 'like', reasonSubject: second.uri },
    ])
  })

  test('records under aliased collections and types create the same notifications', async () => {
    const post = await social.write(alice, 'app.bsky.feed.post', { text: 'hello', createdAt })
    await social.subscribe(carol, bob, true, false)
    await social.write(bob, 'app.bsky.feed.post', {
      text: 'hello',
      embed: { $type: 'app.bsky.embed.record', record: post },
      createdAt,
    })
    await social.write(bob, 'app.bsky.feed.like', { subject: post, createdAt })
    const follow = await social.write(bob, 'app.bsky.graph.follow', { subject: alice.did, createdAt })
    const mention = { $type: 'app.bsky.richtext.facet#mention', did: alice.did }
    const facets = [{ index: { byteStart: 0, byteEnd: 1 }, features: [mention] }]
    await social.write(bob, 'app.bsky.feed.post', { text: '@', facets, createdAt })
    expect(await social.listed(alice)).toEqual([
      'mention by bob',
      'follow by bob',
      'like by bob',
      'quote by bob',
    ])
    expect(await social.listed(carol)).toEqual(['subscribed-post by bob', 'subscribed-post by bob'])
    expect((await social.list(alice)).notifications[1]).toMatchObject({
      uri: follow.uri.replace('app.bsky', 'app.example'),
      record: { $type: 'app.example.graph.follow' },
    })
    await social.remove(bob, follow)
    expect(await social.listed(alice)).toEqual(['mention by bob', 'like by bob', 'quote by bob'])
  })

  test('a subject with a handle as authority resolves to the DID', async () => {
    const post = await social.post(alice)
    const uri = post.uri.replace(alice.did, alice.handle)
    await social.like(bob, { ...post, uri })
    await social.like(carol, { ...post, uri: uri.replace(alice.handle, alice.handle.toUpperCase()) })
    const ofPost = { reasonSubject: post.uri }
    expect((await social.list(alice)).notifications).toMatchObject([ofPost, ofPost])
  })

  test('a subject with a fragment resolves to the whole record', async () => {
    const post = await social.post(alice)
    await social.like(bob, { ...post, uri: `${post.uri}#/text` })
    await social.quote(bob, { ...post, uri: `${post.uri}#/text/0` })
    const { notifications } = await social.list(alice)
    expect(notifications).toMatchObject([
      { reason: 'quote', reasonSubject: post.uri },
      { reason: 'like', reasonSubject: post.uri },
    ])
  })

  test('accounts of other servers get no notifications here', async () => {
    const remote = { did: 'did:web:remote.test' }
    const uri = `at://${remote.did}/app.example.feed.post/3kaaaaaaaaaa2`
    await social.like(alice, { uri, cid: someCid })
    await social.post(alice, mentions(remote))
    const follow = await social.follow(alice, remote)
    await social.remove(alice, follow)
    expect(await social.listed(alice)).toEqual([])
  })

  test('a notification contains the self-labels of the post', async () => {
    const values = [{ val: 'spoiler' }]
    const post = await social.post(bob, {
      ...mentions(alice),
      labels: { $type: 'com.core.label.defs#selfLabels', values },
    })
    expect((await social.list(alice)).notifications).toMatchObject([
      { labels: [{ src: bob.did, uri: post.uri, cid: post.cid, val: 'spoiler', cts: createdAt }] },
    ])
    await social.post(bob, mentions(alice))
    expect((await social.list(alice)).notifications[0]).not.toHaveProperty('labels')
  })
})

describe('unvalidated records with malformed fields create only the notifications that resolve', () => {
  const malformed = [
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
    await social.subscribe(alice, bob, true, true)
    for (const value of malformed) {
      const record = Object.fromEntries(names.map((name) => [name, value]))
      const ref = await social.write(bob, collection, record, { validate: false })
      await social.remove(bob, ref)
    }
    await social.write(
      bob,
      `${feed}.post`,
      {
        text: 3,
        facets: [null, { features: [{ $type: 'app.example.richtext.facet#mention', did: alice.did }, 7] }],
        embed: { $type: 'app.example.embed.recordWithMedia', record: { record: 'x' } },
      },
      { validate: false },
    )
    expect(await social.listed(alice)).toEqual(['mention by bob'])
  })
})
