/** Threads: the posts above and below a post, as a tree and as a list. */
import type { AppBskyFeedDefs, AppBskyUnspeccedDefs, AppBskyUnspeccedGetPostThreadV2 } from '@atproto/api'
import { describe, expect, test } from 'vitest'
import type { NetworkAccount } from '../../../support/remote/network-accounts.ts'
import { network, setupNetwork } from '../../../support/server/setup.ts'
import type { Ref } from '../../../support/server/social.ts'

setupNetwork()

type Node = AppBskyFeedDefs.ThreadViewPost
type Item = AppBskyUnspeccedGetPostThreadV2.ThreadItem
const textOf = ({ record }: AppBskyFeedDefs.PostView) => (record as { text: string }).text

async function threadOf(reader: { getPostThread: NetworkAccount['getPostThread'] }, post: Ref, params = {}) {
  const { data } = await reader.getPostThread({ uri: post.uri, ...params })
  return data.thread as Node
}

/** The tree below a node: `text [replies]`; other items by the name of their type. */
function outline(node: unknown): string {
  const { $type, post, replies = [] } = node as Node
  if (!post) return ($type ?? '').split('#')[1] ?? ''
  return replies.length > 0 ? `${textOf(post)} [${replies.map(outline).join(', ')}]` : textOf(post)
}

/** The nodes above a node, nearest first. */
function above({ parent }: Node): string[] {
  return parent ? [outline({ ...parent, replies: [] }), ...above(parent as Node)] : []
}

/** Six letters of record keys, which sort by the number. */
const base32 = (number: number) =>
  Array.from(
    { length: 6 },
    (_, i) => '234567abcdefghijklmnopqrstuvwxyz'[(number >> (5 * (5 - i))) & 31],
  ).join('')

describe('getPostThread', () => {
  test('has the replies, the newest first, and the posts above', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const root = await network.post(alice, 'root')
    const one = await network.reply(bob, 'one', root)
    const two = await network.reply(alice, 'two', one, root)
    await network.reply(bob, 'three', two, root)
    await network.reply(bob, 'other', root)
    expect(outline(await threadOf(alice, root))).toBe('root [other, one [two [three]]]')
    const thread = await threadOf(alice, two)
    expect(outline(thread)).toBe('two [three]')
    expect(above(thread)).toEqual(['one', 'root'])
    expect(thread.post).toMatchObject({ replyCount: 1, author: { did: alice.did } })
  })

  test('names its types as the caller names the method', async () => {
    const [alice] = await network.join('alice')
    const root = await network.post(alice, 'root')
    await network.reply(alice, 'one', root)
    const typesOf = async (nsid: string) => {
      const { body } = await network.server.get(nsid, { uri: root.uri })
      return [body.thread.$type, body.thread.replies[0].$type, body.thread.post.record.$type]
    }
    const theirs = 'app.bsky.feed.defs#threadViewPost'
    expect(await typesOf('app.bsky.feed.getPostThread')).toEqual([theirs, theirs, 'app.bsky.feed.post'])
    const ours = 'app.example.feed.defs#threadViewPost'
    expect(await typesOf('app.example.feed.getPostThread')).toEqual([ours, ours, 'app.example.feed.post'])
  })

  test('depth and parentHeight limit the posts below and above', async () => {
    const [alice] = await network.join('alice')
    const posts = [await network.post(alice, '0')]
    for (const text of ['1', '2', '3', '4']) {
      posts.push(await network.reply(alice, text, posts.at(-1) as Ref, posts[0]))
    }
    const thread = await threadOf(alice, posts[2] as Ref, { depth: 1, parentHeight: 1 })
    expect(outline(thread)).toBe('2 [3]')
    expect(above(thread)).toEqual(['1'])
    const alone = await threadOf(alice, posts[2] as Ref, { depth: 0, parentHeight: 0 })
    expect(alone).not.toHaveProperty('replies')
    expect(alone).not.toHaveProperty('parent')
  })

  test('a deleted post above is shown as not found, and a deleted reply is left out', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const root = await network.post(alice, 'root')
    const one = await network.reply(bob, 'one', root)
    const two = await network.reply(alice, 'two', one, root)
    await bob.deletePost(one.uri)
    expect(above(await threadOf(alice, two))).toEqual(['notFoundPost'])
    expect(outline(await threadOf(alice, root))).toBe('root')
  })

  test('a post that does not exist is NotFound', async () => {
    const [alice] = await network.join('alice')
    const uri = `at://${alice.did}/app.bsky.feed.post/3k2222222222a`
    await expect(alice.getPostThread({ uri })).rejects.toMatchObject({ status: 400, error: 'NotFound' })
  })

  test('is found by a URI with a handle, and by the other name of the collection', async () => {
    const [alice] = await network.join('alice')
    const { uri, cid } = await network.post(alice, 'root')
    for (const other of [uri.replace(alice.did, alice.handle), uri.replace('app.bsky', 'app.example')]) {
      expect((await threadOf(network.anonymous, { uri: other, cid })).post.uri).toBe(uri)
    }
  })

  test('posts of accounts that the viewer blocks, or that block the viewer, are shown as blocked', async () => {
    const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
    const root = await network.post(alice, 'root')
    const one = await network.reply(bob, 'one', root)
    const two = await network.reply(carol, 'two', one, root)
    await network.block(alice, bob)
    expect(outline(await threadOf(alice, root))).toBe('root [blockedPost]')
    expect(above(await threadOf(alice, two))).toEqual(['blockedPost'])
    const anchor = await alice.getPostThread({ uri: one.uri })
    expect(anchor.data.thread).toMatchObject({
      $type: 'app.bsky.feed.defs#blockedPost',
      author: { did: bob.did, viewer: { blocking: expect.stringContaining(alice.did) } },
    })
    expect(outline((await bob.getPostThread({ uri: root.uri })).data.thread)).toBe('blockedPost')
  })

  test('a reply between two accounts of which one blocks the other is hidden from all', async () => {
    const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
    const root = await network.post(alice, 'root')
    const one = await network.reply(bob, 'one', root)
    await network.block(alice, bob)
    expect(outline(await threadOf(carol, root))).toBe('root')
    expect(above(await threadOf(carol, one))).toEqual(['blockedPost'])
  })

  test('a reply that states another root is not part of the thread', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const root = await network.post(alice, 'root')
    const bobs = await network.post(bob, 'my own thread')
    await network.reply(bob, 'astray', root, bobs)
    expect(outline(await threadOf(alice, root))).toBe('root')
  })

  test('likes of the author of the first post are marked', async () => {
    const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
    const root = await network.post(alice, 'root')
    const one = await network.reply(bob, 'one', root)
    const like = await alice.like(one.uri, one.cid)
    const thread = await threadOf(carol, root)
    expect(thread.replies).toMatchObject([{ threadContext: { rootAuthorLike: like.uri } }])
  })

  test('two posts that answer each other have an end', async () => {
    const [alice] = await network.join('alice')
    const first = await network.post(alice, 'first')
    const second = await network.reply(alice, 'second', first)
    const { did: repo } = alice
    const record = { text: 'first', createdAt: network.now, reply: { root: first, parent: second } }
    const rkey = first.uri.split('/').at(-1) ?? ''
    await alice.com.atproto.repo.putRecord({ repo, collection: 'app.bsky.feed.post', rkey, record })
    const thread = await threadOf(alice, first, { depth: 10, parentHeight: 3 })
    expect(outline(thread)).toBe('first [second]')
    expect(above(thread).length).toBeLessThanOrEqual(3)
  })

  test('has a thousand levels at most', async () => {
    const [alice] = await network.join('alice')
    const { did: repo } = alice
    const collection = 'app.bsky.feed.post'
    const root = await network.post(alice, 'root')
    const rkeys = Array.from({ length: 1100 }, (_, i) => `3k${base32(i)}22222`)
    const uris = [root.uri, ...rkeys.map((rkey) => `at://${repo}/${collection}/${rkey}`)]
    const writes = rkeys.map((rkey, i) => {
      const reply = { root, parent: { ...root, uri: uris[i] ?? '' } }
      const value = { text: `${i}`, createdAt: network.now, reply }
      return { $type: 'com.atproto.repo.applyWrites#create' as const, collection, rkey, value }
    })
    for (let at = 0; at < writes.length; at += 200) {
      await alice.com.atproto.repo.applyWrites({ repo, writes: writes.slice(at, at + 200) })
    }
    const depthOf = (node: Node): number =>
      1 + Math.max(-1, ...(node.replies ?? []).map((one) => depthOf(one as Node)))
    expect(depthOf(await threadOf(alice, root, { depth: 1000 }))).toBe(1000)
    const last = { ...root, uri: uris.at(-1) ?? '' }
    expect(above(await threadOf(alice, last, { parentHeight: 1000 }))).toHaveLength(1000)
    const { data } = await alice.app.bsky.unspecced.getPostThreadV2({ anchor: last.uri })
    expect(data.thread.map(({ depth }) => depth)).toEqual(Array.from({ length: 81 }, (_, i) => i - 80))
  })

  test('has a thousand replies at most', async () => {
    const [alice] = await network.join('alice')
    const root = await network.post(alice, 'root')
    const writes = Array.from({ length: 1050 }, (_, i) => ({
      $type: 'com.atproto.repo.applyWrites#create' as const,
      collection: 'app.bsky.feed.post',
      value: { text: `${i}`, createdAt: network.now, reply: { root, parent: root } },
    }))
    for (let at = 0; at < writes.length; at += 200) {
      await alice.com.atproto.repo.applyWrites({ repo: alice.did, writes: writes.slice(at, at + 200) })
    }
    const thread = await threadOf(alice, root)
    expect(thread.post.replyCount).toBe(1050)
    expect(thread.replies).toHaveLength(1000)
  })
})

describe('getPostThreadV2', () => {
  const call = (reader: NetworkAccount, anchor: Ref, params = {}) =>
    reader.app.bsky.unspecced.getPostThreadV2({ anchor: anchor.uri, ...params })
  const itemOf = ({ value }: Item) => value as AppBskyUnspeccedDefs.ThreadItemPost
  const lines = (items: readonly Item[]) =>
    items.map((item) => {
      const { post, $type } = itemOf(item)
      return `${item.depth} ${post ? textOf(post) : $type?.split('#')[1]}`
    })

  test('lists what is above, the anchor, and the replies, the oldest first', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const root = await network.post(alice, 'root')
    const one = await network.reply(bob, 'one', root)
    const two = await network.reply(bob, 'two', one, root)
    await network.reply(bob, 'three', two, root)
    await network.reply(bob, 'four', one, root)
    const { data } = await call(bob, one)
    expect(lines(data.thread)).toEqual(['-1 root', '0 one', '1 two', '2 three', '1 four'])
    const { data: below } = await call(bob, one, { above: false, below: 1 })
    expect(lines(below.thread)).toEqual(['0 one', '1 two', '1 four'])
    expect(below.thread.map((item) => itemOf(item).moreReplies)).toEqual([0, 1, 0])
    expect(below.thread.map((item) => itemOf(item).moreParents)).toEqual([true, false, false])
  })

  test('sorts by time or likes, and puts replies of the author of the thread and of the viewer first', async () => {
    const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
    const root = await network.post(alice, 'root')
    for (const text of ['c1', 'c2', 'c3']) {
      const reply = await network.reply(carol, text, root)
      if (text === 'c2') await bob.like(reply.uri, reply.cid)
    }
    await network.reply(bob, 'mine', root)
    await network.reply(alice, 'author', root)
    const sorted = async (sort?: string) => lines((await call(bob, root, { sort })).data.thread).slice(1)
    expect(await sorted()).toEqual(['1 author', '1 mine', '1 c1', '1 c2', '1 c3'])
    expect(await sorted('newest')).toEqual(['1 author', '1 mine', '1 c3', '1 c2', '1 c1'])
    expect(await sorted('top')).toEqual(['1 author', '1 mine', '1 c2', '1 c3', '1 c1'])
  })

  test('branchingFactor limits the replies to replies', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const root = await network.post(alice, 'root')
    const one = await network.reply(bob, 'one', root)
    for (const text of ['a', 'b', 'c']) await network.reply(bob, text, one, root)
    const { data } = await call(alice, root, { branchingFactor: 2 })
    expect(lines(data.thread)).toEqual(['0 root', '1 one', '2 a', '2 b'])
    expect(itemOf(data.thread[1] as Item).moreReplies).toBe(1)
  })

  test('marks the thread that an author has with itself', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const root = await network.post(alice, 'root')
    const one = await network.reply(alice, 'one', root)
    const reply = await network.reply(bob, 'bob', one, root)
    await network.reply(alice, 'answer', reply, root)
    const { data } = await call(bob, one)
    expect(data.thread.map((item) => [lines([item])[0], itemOf(item).opThread])).toEqual([
      ['-1 root', true],
      ['0 one', true],
      ['1 bob', false],
      ['2 answer', false],
    ])
  })

  test('deleted and blocked anchors and parents have items of their own', async () => {
    const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
    const root = await network.post(alice, 'root')
    const one = await network.reply(bob, 'one', root)
    const two = await network.reply(carol, 'two', one, root)
    await network.block(bob, alice)
    expect(lines((await call(alice, one)).data.thread)).toEqual(['0 threadItemBlocked'])
    expect(lines((await call(alice, two)).data.thread)).toEqual(['-1 threadItemBlocked', '0 two'])
    await bob.deletePost(one.uri)
    expect(lines((await call(alice, one)).data.thread)).toEqual(['0 threadItemNotFound'])
    expect(lines((await call(alice, two)).data.thread)).toEqual(['-1 threadItemNotFound', '0 two'])
  })

  test('replies that the author hides are in getPostThreadOtherV2', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const root = await network.post(alice, 'root')
    const rude = await network.reply(bob, 'rude', root)
    await network.reply(bob, 'kind', root)
    expect((await call(alice, root)).data).toMatchObject({ hasOtherReplies: false })
    await network.gate(alice, 'threadgate', root, { hiddenReplies: [rude.uri] })
    const { data } = await call(alice, root)
    expect(lines(data.thread)).toEqual(['0 root', '1 kind'])
    expect(data).toMatchObject({
      hasOtherReplies: true,
      threadgate: { record: { hiddenReplies: [rude.uri] } },
    })
    const { data: other } = await alice.app.bsky.unspecced.getPostThreadOtherV2({ anchor: root.uri })
    expect(other.thread).toMatchObject([
      { uri: rude.uri, depth: 1, value: { hiddenByThreadgate: true, mutedByViewer: false } },
    ])
  })

  test('replies of muted accounts are in getPostThreadOtherV2', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const root = await network.post(alice, 'root')
    const reply = await network.reply(bob, 'reply', root)
    await alice.mute(bob.did)
    const { data } = await call(alice, root)
    expect(lines(data.thread)).toEqual(['0 root'])
    const { data: other } = await alice.app.bsky.unspecced.getPostThreadOtherV2({ anchor: root.uri })
    expect(other.thread).toMatchObject([{ uri: reply.uri, value: { mutedByViewer: true } }])
  })
})
