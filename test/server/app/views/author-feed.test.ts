/** Author feeds, their filters, and likes of an actor. */
import { describe, expect, test } from 'vitest'
import { type NetworkAccount, texts } from '../../../support/remote/network-accounts.ts'
import { network, setupNetwork } from '../../../support/server/setup.ts'
import type { Ref } from '../../../support/server/social.ts'

setupNetwork()

async function feedOf(actor: string, reader = network.anonymous, params = {}): Promise<string[]> {
  const { data } = await reader.getAuthorFeed({ actor, ...params })
  return texts(data.feed.map(({ post }) => post))
}

async function postImage(author: NetworkAccount, text: string, more: object = {}): Promise<Ref> {
  const images = [{ image: await network.image(author), alt: 'A dot' }]
  const record = {
    text,
    embed: { $type: 'app.bsky.embed.images', images },
    createdAt: network.tick(),
    ...more,
  }
  return network.write(author, 'app.bsky.feed.post', record)
}

describe('an author feed', () => {
  test('has posts, replies and reposts, the newest first', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const bobs = await network.post(bob, 'Bob')
    await network.post(alice, 'Alice')
    await network.reply(alice, 'Alice to Bob', bobs)
    await network.repost(alice, bobs)
    expect(await feedOf(alice.handle)).toEqual(['Bob', 'Alice to Bob', 'Alice'])
    const { data } = await bob.getAuthorFeed({ actor: alice.did, limit: 1 })
    expect(data.feed).toMatchObject([
      { reason: { $type: 'app.bsky.feed.defs#reasonRepost', by: { did: alice.did } } },
    ])
  })

  test('posts_no_replies leaves out replies', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const bobs = await network.post(bob, 'Bob')
    await network.post(alice, 'Alice')
    await network.reply(alice, 'Alice to Bob', bobs)
    await network.repost(alice, bobs)
    expect(await feedOf(alice.did, undefined, { filter: 'posts_no_replies' })).toEqual(['Bob', 'Alice'])
  })

  test('posts_and_author_threads has only replies of the author to itself', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const mine = await network.post(alice, 'Alice')
    const more = await network.reply(alice, 'Alice to Alice', mine)
    const bobs = await network.reply(bob, 'Bob to Alice', mine)
    const back = await network.reply(alice, 'Alice to Bob', bobs, mine)
    await network.reply(alice, 'Below Bob', back, mine)
    await network.reply(alice, 'Third', more, mine)
    const params = { filter: 'posts_and_author_threads' }
    expect(await feedOf(alice.did, undefined, params)).toEqual(['Third', 'Alice to Alice', 'Alice'])
  })

  test('posts_with_media and posts_with_video have own posts with media', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const image = await postImage(alice, 'Image')
    await network.post(alice, 'Text')
    await postImage(alice, 'Image in a reply', { reply: { root: image, parent: image } })
    const bobs = await postImage(bob, 'Image of Bob')
    await network.repost(alice, bobs)
    const withMedia = { filter: 'posts_with_media' }
    expect(await feedOf(alice.did, undefined, withMedia)).toEqual(['Image in a reply', 'Image'])
    expect(await feedOf(alice.did, undefined, { filter: 'posts_with_video' })).toEqual([])
  })

  test('includePins puts the pinned post first, once, on the first page', async () => {
    const [alice] = await network.join('alice')
    const [pinned] = [await network.post(alice, 'Pinned'), await network.post(alice, 'One')]
    await network.post(alice, 'Two')
    await alice.upsertProfile(() => ({ pinnedPost: pinned }))
    const { data } = await alice.getAuthorFeed({ actor: alice.did, includePins: true, limit: 2 })
    expect(texts(data.feed.map(({ post }) => post))).toEqual(['Pinned', 'Two'])
    expect(data.feed[0]).toMatchObject({
      reason: { $type: 'app.bsky.feed.defs#reasonPin' },
      post: { viewer: { pinned: true } },
    })
    const { cursor } = data
    expect(await feedOf(alice.did, alice, { includePins: true, cursor })).toEqual(['One', 'Pinned'])
    expect(await feedOf(alice.did, alice)).toEqual(['Two', 'One', 'Pinned'])
  })

  test('a pinned post of another author is not shown first', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const pinnedPost = await network.post(bob, 'Bob')
    await network.post(alice, 'Alice')
    await alice.upsertProfile(() => ({ pinnedPost }))
    expect(await feedOf(alice.did, undefined, { includePins: true })).toEqual(['Alice'])
  })

  test('is refused between accounts of which one blocks the other', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    await network.block(alice, bob)
    await expect(feedOf(bob.did, alice)).rejects.toMatchObject({ status: 400, error: 'BlockedActor' })
    await expect(feedOf(alice.did, bob)).rejects.toMatchObject({ status: 400, error: 'BlockedByActor' })
  })

  test('leaves out reposts of posts by blocked accounts', async () => {
    const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
    const post = await network.post(carol, 'Carol')
    await network.repost(bob, post)
    await network.block(alice, carol)
    expect(await feedOf(bob.did, alice)).toEqual([])
    expect(await feedOf(bob.did)).toEqual(['Carol'])
  })

  test('of an unknown or inactive account fails with InvalidRequest', async () => {
    const [alice] = await network.join('alice')
    await expect(feedOf('unknown.test')).rejects.toMatchObject({ status: 400, error: 'InvalidRequest' })
    await network.server.setStatus(alice.did, { takedown: true })
    await expect(feedOf(alice.did)).rejects.toMatchObject({ status: 400, error: 'InvalidRequest' })
  })
})

test('a list feed has the posts of the members of a list, without those that the viewer mutes', async () => {
  const [alice, bob, carol, dave] = await network.join('alice', 'bob', 'carol', 'dave')
  const list = await network.list(alice, bob, dave)
  await network.post(dave, 'Dave')
  await network.reply(bob, 'Bob', await network.post(carol, 'Carol'))
  await alice.mute(dave.did)
  const { data } = await alice.app.bsky.feed.getListFeed({ list: list.uri })
  expect(texts(data.feed.map(({ post }) => post))).toEqual(['Bob'])
  const unknown = alice.app.bsky.feed.getListFeed({ list: `${list.uri}x` })
  await expect(unknown).rejects.toMatchObject({ status: 400, error: 'UnknownList' })
})

test('likes of an actor are listed for that actor only, the newest first', async () => {
  const [alice, bob] = await network.join('alice', 'bob')
  const posts = [
    await network.post(bob, 'one'),
    await network.post(bob, 'two'),
    await network.post(bob, 'three'),
  ]
  for (const { uri, cid } of posts) await alice.like(uri, cid)
  const { data } = await alice.app.bsky.feed.getActorLikes({ actor: alice.did, limit: 2 })
  expect(texts(data.feed.map(({ post }) => post))).toEqual(['three', 'two'])
  const next = await alice.app.bsky.feed.getActorLikes({
    actor: alice.did,
    limit: 2,
    cursor: data.cursor ?? '',
  })
  expect(texts(next.data.feed.map(({ post }) => post))).toEqual(['one'])
  const asked = bob.app.bsky.feed.getActorLikes({ actor: alice.did })
  await expect(asked).rejects.toMatchObject({ status: 400, error: 'InvalidRequest' })
})

test('likes of an actor: a malformed cursor is rejected', async () => {
  const [alice] = await network.join('alice')
  const asked = alice.app.bsky.feed.getActorLikes({ actor: alice.did, cursor: 'no key' })
  await expect(asked).rejects.toMatchObject({
    ...{ status: 400, error: 'InvalidRequest', message: 'Malformed cursor' },
  })
})
