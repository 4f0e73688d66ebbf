/** Timelines: whose posts they have, in which order, page by page. */
import { AppBskyFeedDefs } from '@atproto/api'
import { describe, expect, test } from 'vitest'
import { type NetworkAccount, texts } from '../../../support/remote/network-accounts.ts'
import { network, setupNetwork } from '../../../support/server/setup.ts'

setupNetwork()

/** The texts in a timeline, newest first. */
async function timeline(of: NetworkAccount, params: { limit?: number } = {}): Promise<string[]> {
  const { data } = await of.getTimeline(params)
  return texts(data.feed.map(({ post }) => post))
}

/** Creates accounts of which the first follows the second. */
async function joinFollowing<const Names extends readonly string[]>(...names: Names) {
  const accounts = await network.join(...names)
  const [alice, bob] = accounts as readonly NetworkAccount[]
  if (alice && bob) await alice.follow(bob.did)
  return accounts
}

describe('a timeline', () => {
  test('has posts of followed accounts and own ones, the newest first', async () => {
    const [alice, bob, carol] = await joinFollowing('alice', 'bob', 'carol')
    await network.post(bob, 'Bob, early')
    await network.post(carol, 'Carol')
    await network.post(alice, 'Alice')
    await network.post(bob, 'Bob, late')
    expect(await timeline(alice)).toEqual(['Bob, late', 'Alice', 'Bob, early'])
    expect(await timeline(carol)).toEqual(['Carol'])
  })

  test('has the reposts of followed accounts, with their reason', async () => {
    const [alice, bob, carol] = await joinFollowing('alice', 'bob', 'carol')
    const post = await network.post(carol, 'Worth reading')
    const repost = await network.repost(bob, post)
    const { data } = await alice.getTimeline()
    expect(data.feed).toMatchObject([
      {
        post: { uri: post.uri, author: { did: carol.did } },
        reason: { $type: 'app.bsky.feed.defs#reasonRepost', by: { did: bob.did }, uri: repost.uri },
      },
    ])
  })

  test('has one entry of a post that an account has reposted twice', async () => {
    const [alice, bob, carol] = await joinFollowing('alice', 'bob', 'carol')
    const post = await network.post(carol, 'Again and again')
    await network.repost(bob, post)
    await network.repost(bob, post)
    expect(await timeline(alice)).toEqual(['Again and again'])
  })

  test('has replies to followed accounts, to the viewer and of authors to themselves, but no others', async () => {
    const [alice, bob, carol, dave] = await joinFollowing('alice', 'bob', 'carol', 'dave')
    await alice.follow(carol.did)
    const [mine, carols, daves] = [
      await network.post(alice, 'Alice'),
      await network.post(carol, 'Carol'),
      await network.post(dave, 'Dave'),
    ]
    const bobs = await network.post(bob, 'Bob')
    await network.reply(bob, 'Bob to Alice', mine)
    await network.reply(bob, 'Bob to Carol', carols)
    await network.reply(bob, 'Bob to Dave', daves)
    await network.reply(bob, 'Bob to Bob', bobs)
    expect(await timeline(alice)).toEqual([
      'Bob to Bob',
      'Bob to Carol',
      'Bob to Alice',
      'Bob',
      'Carol',
      'Alice',
    ])
  })

  test('has own replies to anyone', async () => {
    const [alice, , carol] = await joinFollowing('alice', 'bob', 'carol')
    await network.reply(alice, 'Alice to Carol', await network.post(carol, 'Carol'))
    expect(await timeline(alice)).toEqual(['Alice to Carol'])
  })

  test('shows the root, the parent and the author above the parent of a reply', async () => {
    const [alice, bob, carol] = await joinFollowing('alice', 'bob', 'carol')
    await alice.follow(carol.did)
    const root = await network.post(carol, 'Root')
    const first = await network.reply(bob, 'First', root)
    await network.reply(carol, 'Second', first, root)
    const { data } = await alice.getTimeline({ limit: 1 })
    expect(data.feed).toMatchObject([
      {
        post: { record: { text: 'Second' } },
        reply: {
          root: { $type: 'app.bsky.feed.defs#postView', uri: root.uri },
          parent: { $type: 'app.bsky.feed.defs#postView', uri: first.uri },
          grandparentAuthor: { did: carol.did },
        },
      },
    ])
  })

  test('shows a deleted parent as not found', async () => {
    const [alice, bob] = await joinFollowing('alice', 'bob')
    const root = await network.post(bob, 'Root')
    await network.reply(bob, 'Reply', root)
    await bob.deletePost(root.uri)
    const { data } = await alice.getTimeline()
    const notFound = { $type: 'app.bsky.feed.defs#notFoundPost', uri: root.uri, notFound: true }
    expect(data.feed[0]?.reply).toMatchObject({ root: notFound, parent: notFound })
  })

  test('leaves out muted accounts: their posts, their reposts and reposts of their posts', async () => {
    const [alice, bob, carol] = await joinFollowing('alice', 'bob', 'carol')
    await alice.follow(carol.did)
    const bobs = await network.post(bob, 'Bob')
    const carols = await network.post(carol, 'Carol')
    await network.repost(carol, bobs)
    await network.repost(bob, carols)
    await alice.mute(bob.did)
    expect(await timeline(alice)).toEqual(['Carol'])
    await alice.unmute(bob.did)
    expect(await timeline(alice)).toHaveLength(4)
  })

  test.each(['the viewer blocks', 'blocks the viewer'])(
    'leaves out what an account has to do with that %s',
    async (who) => {
      const [alice, bob, carol] = await joinFollowing('alice', 'bob', 'carol')
      await alice.follow(carol.did)
      const bobs = await network.post(bob, 'Bob')
      await network.reply(carol, 'Carol to Bob', bobs)
      await network.repost(carol, bobs)
      await network.post(carol, 'Carol')
      const [from, to] = who === 'the viewer blocks' ? [alice, bob] : [bob, alice]
      await network.block(from, to)
      expect(await timeline(alice)).toEqual(['Carol'])
    },
  )

  test('leaves out inactive accounts', async () => {
    const [alice, bob] = await joinFollowing('alice', 'bob')
    await network.post(bob, 'Bob')
    await network.server.setStatus(bob.did, { takedown: true })
    expect(await timeline(alice)).toEqual([])
    await network.server.setStatus(bob.did, { takedown: false })
    expect(await timeline(alice)).toEqual(['Bob'])
  })

  test('is read page by page, and its last page has no cursor', async () => {
    const [alice, bob] = await joinFollowing('alice', 'bob')
    for (const text of ['1', '2', '3', '4', '5']) await network.post(bob, text)
    const pages: string[][] = []
    let cursor: string | undefined
    do {
      const { data } = await alice.getTimeline({ limit: 2, ...(cursor && { cursor }) })
      pages.push(texts(data.feed.map(({ post }) => post)))
      cursor = data.cursor
    } while (cursor !== undefined)
    expect(pages).toEqual([['5', '4'], ['3', '2'], ['1']])
  })

  test('finds the newest post behind many that it leaves out', async () => {
    const [alice, bob, carol] = await joinFollowing('alice', 'bob', 'carol')
    await network.post(bob, 'Bob')
    const carols = await network.post(carol, 'Carol')
    for (let i = 0; i < 30; i++) await network.reply(bob, `Bob to Carol ${i}`, carols)
    expect(await timeline(alice, { limit: 1 })).toEqual(['Bob'])
  })

  test('sorts a post that states a future time by the time of its write', async () => {
    const [alice, bob] = await joinFollowing('alice', 'bob')
    await bob.post({ text: 'From the future', createdAt: '2999-01-01T00:00:00.000Z' })
    await network.post(bob, 'From now')
    expect(await timeline(alice)).toEqual(['From now', 'From the future'])
  })

  test('accepts an empty cursor, and rejects a malformed one', async () => {
    const [alice] = await network.join('alice')
    const { data } = await alice.getTimeline({ cursor: '' })
    expect(data.feed).toEqual([])
    await expect(alice.getTimeline({ cursor: 'nonsense' })).rejects.toMatchObject({
      status: 400,
      error: 'InvalidRequest',
    })
  })

  test('leaves out posts that violate their lexicon', async () => {
    const [alice, bob] = await joinFollowing('alice', 'bob')
    await network.write(bob, 'app.bsky.feed.post', { text: 7, createdAt: network.now }, '3kinvalid2222')
    await network.write(bob, 'app.bsky.feed.repost', { subject: 'none' }, '3kinvalid3222')
    await network.post(bob, 'Valid')
    expect(await timeline(alice)).toEqual(['Valid'])
  })

  test('has posts that were written under both names of their collection', async () => {
    const [alice, bob] = await joinFollowing('alice', 'bob')
    await network.post(bob, 'Theirs')
    network.server.clock.advance(1000)
    const record = { text: 'Ours', createdAt: network.now }
    await bob.com.atproto.repo.createRecord({ repo: bob.did, collection: 'app.example.feed.post', record })
    const { data } = await alice.getTimeline()
    expect(texts(data.feed.map(({ post }) => post))).toEqual(['Ours', 'Theirs'])
    expect(data.feed.map(({ post }) => post.uri.split('/')[3])).toEqual([
      'app.bsky.feed.post',
      'app.bsky.feed.post',
    ])
    expect(data.feed.every((item) => AppBskyFeedDefs.validateFeedViewPost(item).success)).toBe(true)
  })
})
