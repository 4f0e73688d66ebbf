/** Thread gates (who may reply) and post gates (who may quote). */
import type { AppBskyFeedDefs } from '@atproto/api'
import { describe, expect, test } from 'vitest'
import { type NetworkAccount, texts } from '../../../support/remote/network-accounts.ts'
import { network, setupNetwork } from '../../../support/server/setup.ts'
import type { Ref } from '../../../support/server/social.ts'

setupNetwork()

const rule = (name: string, more: object = {}) => ({ $type: `app.bsky.feed.threadgate#${name}Rule`, ...more })

async function repliesTo(post: Ref, reader: NetworkAccount): Promise<string[]> {
  const { data } = await reader.getPostThread({ uri: post.uri })
  const { replies = [] } = data.thread as AppBskyFeedDefs.ThreadViewPost
  return texts(replies.map((reply) => (reply as AppBskyFeedDefs.ThreadViewPost).post)).toReversed()
}

async function postOf(reader: NetworkAccount, { uri }: Ref) {
  const { data } = await reader.getPosts({ uris: [uri] })
  return data.posts[0]
}

describe('a thread gate', () => {
  test('without rules permits no replies: they are shown to their authors only', async () => {
    const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
    const post = await network.post(alice, 'Closed')
    await network.gate(alice, 'threadgate', post, { allow: [] })
    const reply = await network.reply(bob, 'Bob', post)
    await network.reply(alice, 'Alice', post)
    expect(await repliesTo(post, carol)).toEqual(['Alice'])
    expect(await repliesTo(post, alice)).toEqual(['Alice'])
    expect(await repliesTo(post, bob)).toEqual(['Bob', 'Alice'])
    expect(await postOf(carol, reply)).toBeUndefined()
    await expect(carol.getPostThread({ uri: reply.uri })).rejects.toMatchObject({ error: 'NotFound' })
    const quote = await network.quote(bob, 'See', reply)
    expect((await postOf(carol, quote))?.embed).toMatchObject({ record: { notFound: true } })
    const below = await network.reply(alice, 'Below', reply, post)
    const { data } = await carol.getPostThread({ uri: below.uri })
    expect(data.thread).toMatchObject({ parent: { $type: 'app.bsky.feed.defs#notFoundPost' } })
    expect((await postOf(bob, post))?.viewer).toMatchObject({ replyDisabled: true })
    expect((await postOf(alice, post))?.viewer).not.toHaveProperty('replyDisabled')
  })

  test('is part of the post and of its thread', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const list = await network.list(alice, bob)
    const post = await network.post(alice, 'For friends')
    const gate = await network.gate(alice, 'threadgate', post, { allow: [rule('list', { list: list.uri })] })
    const view = { uri: gate.uri, cid: gate.cid, lists: [{ uri: list.uri, name: 'Friends' }] }
    expect((await postOf(bob, post))?.threadgate).toMatchObject(view)
    const { data } = await bob.getPostThread({ uri: post.uri })
    expect(data.threadgate).toMatchObject(view)
  })

  test.each(['mention', 'follower', 'following', 'list'])(
    'with a %s rule permits these replies',
    async (name) => {
      const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
      if (name === 'follower') await bob.follow(alice.did)
      if (name === 'following') await alice.follow(bob.did)
      const list = name === 'list' ? await network.list(alice, bob) : undefined
      const feature = { $type: 'app.bsky.richtext.facet#mention', did: bob.did }
      const facets = name === 'mention' ? [{ index: { byteStart: 0, byteEnd: 1 }, features: [feature] }] : []
      const post = await network.post(alice, 'For some', { facets })
      await network.gate(alice, 'threadgate', post, { allow: [rule(name, { list: list?.uri })] })
      await network.reply(bob, 'Bob', post)
      await network.reply(carol, 'Carol', post)
      expect(await repliesTo(post, alice)).toEqual(['Bob'])
      expect((await postOf(carol, post))?.viewer?.replyDisabled).toBe(true)
      expect((await postOf(bob, post))?.viewer?.replyDisabled).toBeUndefined()
    },
  )

  test('without a list of rules permits all replies', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const post = await network.post(alice, 'Open')
    await network.gate(alice, 'threadgate', post, {})
    await network.reply(bob, 'Bob', post)
    expect(await repliesTo(post, alice)).toEqual(['Bob'])
  })

  test('hides no replies that were written before it', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const post = await network.post(alice, 'Open at first')
    await network.reply(bob, 'Early', post)
    await network.gate(alice, 'threadgate', post, { allow: [] })
    await network.reply(bob, 'Late', post)
    expect(await repliesTo(post, alice)).toEqual(['Early'])
  })

  test('applies to replies to replies', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const post = await network.post(alice, 'Closed')
    await network.gate(alice, 'threadgate', post, { allow: [] })
    const own = await network.reply(alice, 'Alice', post)
    await network.reply(bob, 'Bob', own, post)
    expect(await repliesTo(own, alice)).toEqual([])
  })

  test('of another account, or under another record key, has no effect', async () => {
    const [alice, bob, mallory] = await network.join('alice', 'bob', 'mallory')
    const post = await network.post(alice, 'Open')
    await network.gate(mallory, 'threadgate', post, { allow: [] })
    const record = { post: post.uri, allow: [], createdAt: network.now }
    await network.write(alice, 'app.bsky.feed.threadgate', record, '3k2222222222a')
    await network.reply(bob, 'Bob', post)
    expect(await repliesTo(post, alice)).toEqual(['Bob'])
  })

  test('that violates its lexicon has no effect', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const post = await network.post(alice, 'Open')
    await network.gate(alice, 'threadgate', post, { allow: 'none' })
    await network.reply(bob, 'Bob', post)
    expect(await repliesTo(post, alice)).toEqual(['Bob'])
  })

  test('creates no notification of a reply that it does not permit', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const post = await network.post(alice, 'Closed')
    await network.gate(alice, 'threadgate', post, { allow: [] })
    await network.reply(bob, 'Bob', post)
    expect((await alice.listNotifications()).data.notifications).toEqual([])
  })
})

describe('a post gate', () => {
  const noQuotes = { embeddingRules: [{ $type: 'app.bsky.feed.postgate#disableRule' }] }
  const embedOf = async (reader: NetworkAccount, post: Ref) =>
    ((await postOf(reader, post))?.embed as { record?: unknown })?.record
  const quotesOf = async (reader: NetworkAccount, { uri }: Ref) =>
    texts((await reader.app.bsky.feed.getQuotes({ uri })).data.posts)

  test('that disables quotes hides the post in later quotes by others', async () => {
    const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
    const post = await network.post(alice, 'Quote me not')
    const early = await network.quote(bob, 'Early', post)
    await network.gate(alice, 'postgate', post, noQuotes)
    const late = await network.quote(bob, 'Late', post)
    const own = await network.quote(alice, 'Own', post)
    expect(await embedOf(carol, early)).toMatchObject({ $type: 'app.bsky.embed.record#viewRecord' })
    expect(await embedOf(carol, late)).toMatchObject({ $type: 'app.bsky.embed.record#viewNotFound' })
    expect(await embedOf(carol, own)).toMatchObject({ $type: 'app.bsky.embed.record#viewRecord' })
    expect((await postOf(bob, post))?.viewer).toMatchObject({ embeddingDisabled: true })
    expect((await postOf(alice, post))?.viewer).not.toHaveProperty('embeddingDisabled')
    expect(await quotesOf(carol, post)).toEqual(['Own', 'Early'])
  })

  test('detaches the post from a quote', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const post = await network.post(alice, 'Quoted')
    const quote = await network.quote(bob, 'Mockery', post)
    await network.gate(alice, 'postgate', post, { detachedEmbeddingUris: [quote.uri] })
    expect(await embedOf(bob, quote)).toEqual({
      $type: 'app.bsky.embed.record#viewDetached',
      uri: post.uri,
      detached: true,
    })
    expect(await quotesOf(alice, post)).toEqual([])
  })
})
