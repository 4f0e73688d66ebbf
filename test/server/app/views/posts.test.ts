/** Views of posts: embeds, counts, viewer state, labels; who liked, reposted and quoted them. */
import { AppBskyFeedDefs, type AtpAgent } from '@atproto/api'
import { describe, expect, test } from 'vitest'
import { texts } from '../../../support/remote/network-accounts.ts'
import { network, setupNetwork } from '../../../support/server/setup.ts'
import { type Ref, someCid } from '../../../support/server/social.ts'

setupNetwork()

const embed = 'app.bsky.embed'

async function viewsOf(reader: AtpAgent, ...posts: { uri: string }[]) {
  const { data } = await reader.getPosts({ uris: posts.map(({ uri }) => uri) })
  for (const post of data.posts) {
    expect(AppBskyFeedDefs.validatePostView(post)).toMatchObject({ success: true })
  }
  return data.posts
}

async function embedOf(reader: AtpAgent, post: Ref) {
  const [view] = await viewsOf(reader, post)
  return view?.embed as { record?: unknown } | undefined
}

describe('getPosts', () => {
  test('returns posts in the order of the request, without those that do not exist', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const [one, two] = [await network.post(alice, 'one'), await network.post(bob, 'two')]
    const missing = { uri: `at://${alice.did}/app.bsky.feed.post/3k2222222222a` }
    const other = { uri: one.uri.replace('app.bsky', 'app.example') }
    const found = await viewsOf(network.anonymous, two, missing, one, other, one)
    expect(texts(found)).toEqual(['two', 'one'])
    expect(found[0]).not.toHaveProperty('viewer')
  })

  test('returns the record as it was written, with its author and counts', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const post = await network.post(alice, 'Hello', { langs: ['en'], unknown: { kept: [1] } })
    await bob.like(post.uri, post.cid)
    await network.repost(bob, post)
    await network.reply(bob, 'one', post)
    await network.reply(bob, 'two', post)
    await network.quote(bob, 'quote', post)
    const [view] = await viewsOf(alice, post)
    expect(view).toMatchObject({
      ...post,
      author: { did: alice.did, handle: alice.handle, labels: [] },
      record: { $type: 'app.bsky.feed.post', text: 'Hello', langs: ['en'], unknown: { kept: [1] } },
      likeCount: 1,
      repostCount: 1,
      replyCount: 2,
      quoteCount: 1,
      labels: [],
      viewer: { threadMuted: false },
    })
    expect(view?.viewer).not.toHaveProperty('like')
  })

  test("has the viewer's like and repost, until they are deleted", async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const post = await network.post(alice, 'Hello')
    const like = await bob.like(post.uri, post.cid)
    const repost = await bob.repost(post.uri, post.cid)
    expect((await viewsOf(bob, post))[0]?.viewer).toMatchObject({ like: like.uri, repost: repost.uri })
    await bob.deleteLike(like.uri)
    await bob.deleteRepost(repost.uri)
    const [view] = await viewsOf(bob, post)
    expect(view).toMatchObject({ likeCount: 0, repostCount: 0 })
    expect(view?.viewer).not.toHaveProperty('like')
  })

  test('has likes that were written under our name of the collection', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const post = await network.post(alice, 'Hello')
    const subject = { ...post, uri: post.uri.replace('app.bsky', 'app.example') }
    const record = { subject, createdAt: network.now }
    const like = await network.write(bob, 'app.example.feed.like', record)
    const [view] = await viewsOf(bob, post)
    const uri = like.uri.replace('app.example', 'app.bsky')
    expect(view).toMatchObject({ likeCount: 1, viewer: { like: uri } })
  })

  test('has the self-labels of the post', async () => {
    const [alice] = await network.join('alice')
    const labels = { $type: 'com.atproto.label.defs#selfLabels', values: [{ val: 'graphic-media' }] }
    const post = await network.post(alice, 'Careful', { labels })
    const [view] = await viewsOf(network.anonymous, post)
    expect(view?.labels).toMatchObject([{ src: alice.did, uri: post.uri, val: 'graphic-media' }])
  })

  test('says whether the viewer mutes the thread', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const post = await network.post(alice, 'Hello')
    const reply = await network.reply(bob, 'Reply', post)
    await bob.app.bsky.graph.muteThread({ root: post.uri })
    const muted = async (reader: AtpAgent) =>
      (await viewsOf(reader, post, reply)).map(({ viewer }) => viewer?.threadMuted)
    expect(await muted(bob)).toEqual([true, true])
    expect(await muted(alice)).toEqual([false, false])
    await bob.app.bsky.graph.unmuteThread({ root: post.uri })
    expect(await muted(bob)).toEqual([false, false])
  })

  test('leaves out posts between blocked accounts, of inactive ones, and records of other kinds', async () => {
    const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
    const posts = [await network.post(bob, 'Bob'), await network.post(carol, 'Carol')]
    const follow = await carol.follow(bob.did)
    await network.block(alice, bob)
    expect(texts(await viewsOf(alice, ...posts, follow))).toEqual(['Carol'])
    expect(await viewsOf(bob, await network.post(alice, 'Alice'))).toEqual([])
    await network.server.setStatus(carol.did, { suspended: true })
    expect(await viewsOf(alice, ...posts)).toEqual([])
  })

  test.each([
    ['a text that is a number', { text: 7 }],
    ['a reply without a root', { reply: { parent: { uri: 'nowhere' } } }],
    ['an image that is a text', { embed: { $type: `${embed}.images`, images: ['none'] } }],
    ['a link that is no URL', { embed: { $type: `${embed}.external`, external: { uri: 'x' } } }],
    ['facets that are a number', { facets: 1 }],
    ['more than 100 kB', { unknown: 'x'.repeat(100_000) }],
  ])('leaves out a post with %s', async (_, more) => {
    const [mallory] = await network.join('mallory')
    const post = { text: 'Broken', createdAt: network.now, ...more }
    expect(await viewsOf(mallory, await network.write(mallory, 'app.bsky.feed.post', post))).toEqual([])
  })
})

describe('embeds', () => {
  test('images are shown by URLs of this server, small and whole', async () => {
    const [alice] = await network.join('alice')
    const image = await network.image(alice)
    const aspectRatio = { width: 4, height: 3 }
    const images = [{ image, alt: 'A dot', aspectRatio }]
    const record = { text: 'Look', embed: { $type: `${embed}.images`, images }, createdAt: network.now }
    const post = await network.write(alice, 'app.bsky.feed.post', record)
    const fullsize = expect.stringMatching(
      /^http:\/\/localhost:\d+\/xrpc\/com\.core\.sync\.getBlob\?did=did%3Aplc%3A\w+&cid=bafkrei\w+$/,
    )
    const thumb = expect.stringMatching(/\?did=did%3Aplc%3A\w+&cid=bafkrei\w+&preset=feed_thumbnail$/)
    const view = await embedOf(alice, post)
    expect(view).toEqual({
      $type: `${embed}.images#view`,
      images: [{ thumb, fullsize, alt: 'A dot', aspectRatio }],
    })
    const {
      images: [shown],
    } = view as unknown as { images: [{ thumb: string }] }
    const { status, headers: sent } = await fetch(shown.thumb)
    expect([status, sent.get('content-type')]).toEqual([200, 'image/png'])
  })

  test('a gallery is shown with the URLs of its images', async () => {
    const [alice] = await network.join('alice')
    const aspectRatio = { width: 4, height: 3 }
    const item = {
      $type: `${embed}.gallery#image`,
      image: await network.image(alice),
      alt: 'A dot',
      aspectRatio,
    }
    const record = {
      text: 'Look',
      embed: { $type: `${embed}.gallery`, items: [item] },
      createdAt: network.now,
    }
    const post = await network.write(alice, 'app.bsky.feed.post', record)
    const url = expect.stringContaining('/xrpc/com.core.sync.getBlob?did=')
    expect(await embedOf(alice, post)).toEqual({
      $type: `${embed}.gallery#view`,
      items: [
        { $type: `${embed}.gallery#viewImage`, thumbnail: url, fullsize: url, alt: 'A dot', aspectRatio },
      ],
    })
  })

  test('a video is shown by its URL, and found by posts_with_video', async () => {
    const [alice] = await network.join('alice')
    const video = { $type: `${embed}.video`, video: await network.video(alice), alt: 'A film' }
    const record = { text: 'Watch', embed: video, createdAt: network.now }
    const post = await network.write(alice, 'app.bsky.feed.post', record)
    expect(await embedOf(alice, post)).toEqual({
      $type: `${embed}.video#view`,
      cid: expect.stringMatching(/^bafkrei/),
      playlist: expect.stringMatching(/\/watch\/did:plc:\w+\/\w+\/[\w-]+\/playlist\.m3u8$/),
      alt: 'A film',
    })
    for (const filter of ['posts_with_video', 'posts_with_media']) {
      const { data } = await alice.getAuthorFeed({ actor: alice.did, filter })
      expect(data.feed).toMatchObject([{ post: { uri: post.uri } }])
    }
  })

  test('links are shown as they are', async () => {
    const [alice] = await network.join('alice')
    const external = { uri: 'https://example.test/a', title: 'A', description: 'About' }
    const post = await network.post(alice, 'Read', { embed: { $type: `${embed}.external`, external } })
    expect(await embedOf(alice, post)).toEqual({ $type: `${embed}.external#view`, external })
  })

  test('a quoted post is shown with its author, counts and its own embed', async () => {
    const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
    const innermost = await network.post(alice, 'innermost')
    const inner = await network.quote(bob, 'inner', innermost)
    const outer = await network.quote(carol, 'outer', inner)
    await alice.like(inner.uri, inner.cid)
    expect(await embedOf(alice, outer)).toMatchObject({
      $type: `${embed}.record#view`,
      record: {
        $type: `${embed}.record#viewRecord`,
        uri: inner.uri,
        author: { did: bob.did },
        value: { text: 'inner' },
        likeCount: 1,
        quoteCount: 1,
        embeds: [
          {
            $type: `${embed}.record#view`,
            record: { $type: `${embed}.record#viewRecord`, uri: innermost.uri, embeds: [] },
          },
        ],
      },
    })
  })

  test('a post that quotes itself has an end', async () => {
    const [alice] = await network.join('alice')
    const post = await network.post(alice, 'Hello')
    const record = {
      text: 'Myself',
      createdAt: network.now,
      embed: { $type: `${embed}.record`, record: post },
    }
    const rkey = post.uri.split('/').at(-1) ?? ''
    const { did: repo } = alice
    await alice.com.atproto.repo.putRecord({ repo, collection: 'app.bsky.feed.post', rkey, record })
    expect(await embedOf(alice, post)).toMatchObject({ record: { uri: post.uri } })
  })

  test('a quoted post that was deleted is not found, one behind a block is blocked', async () => {
    const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
    const post = await network.post(alice, 'Quoted')
    const [bobs, carols] = [await network.quote(bob, 'Bob', post), await network.quote(carol, 'Carol', post)]
    await network.block(bob, alice)
    const blocked = { $type: `${embed}.record#viewBlocked`, uri: post.uri, author: { did: alice.did } }
    expect(await embedOf(bob, carols)).toMatchObject({ record: blocked })
    expect(await embedOf(network.anonymous, bobs)).toMatchObject({ record: blocked })
    await alice.deletePost(post.uri)
    expect(await embedOf(network.anonymous, carols)).toEqual({
      $type: `${embed}.record#view`,
      record: { $type: `${embed}.record#viewNotFound`, uri: post.uri, notFound: true },
    })
  })

  test('a quoted post with media is shown with both', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const post = await network.post(alice, 'Quoted')
    const external = { uri: 'https://example.test/a', title: 'A', description: 'About' }
    const both = { record: { record: post }, media: { $type: `${embed}.external`, external } }
    const quote = await network.post(bob, 'Both', { embed: { $type: `${embed}.recordWithMedia`, ...both } })
    expect(await embedOf(alice, quote)).toMatchObject({
      $type: `${embed}.recordWithMedia#view`,
      record: { record: { $type: `${embed}.record#viewRecord`, uri: post.uri } },
      media: { $type: `${embed}.external#view`, external },
    })
  })

  test('lists, starter packs and feed generators are shown as such', async () => {
    const [alice] = await network.join('alice')
    const list = await network.list(alice, alice)
    const createdAt = network.now
    const pack = await network.write(alice, 'app.bsky.graph.starterpack', {
      name: 'Pack',
      list: list.uri,
      createdAt,
    })
    const generator = { did: alice.did, displayName: 'Feed', createdAt }
    const feed = await network.write(alice, 'app.bsky.feed.generator', generator, 'feed')
    const shown = async (record: Ref) =>
      (await embedOf(alice, await network.quote(alice, 'Look', record)))?.record
    expect(await shown(list)).toMatchObject({ $type: 'app.bsky.graph.defs#listView', uri: list.uri })
    expect(await shown(pack)).toMatchObject({
      $type: 'app.bsky.graph.defs#starterPackViewBasic',
      uri: pack.uri,
    })
    expect(await shown(feed)).toMatchObject({
      $type: 'app.bsky.feed.defs#generatorView',
      displayName: 'Feed',
    })
  })

  test('an unknown embed is left out', async () => {
    const [alice] = await network.join('alice')
    const post = await network.post(alice, 'New', { embed: { $type: 'test.example.embed', value: 1 } })
    expect((await viewsOf(alice, post))[0]).not.toHaveProperty('embed')
  })
})

describe('who liked, reposted and quoted a post', () => {
  test('is listed from the newest, page by page, each account once', async () => {
    const [alice, bob, carol, dave] = await network.join('alice', 'bob', 'carol', 'dave')
    const post = await network.post(alice, 'Popular')
    for (const one of [bob, carol, dave, bob]) {
      await network.write(one, 'app.bsky.feed.like', { subject: post, createdAt: network.now })
      await network.repost(one, post)
    }
    const likes = (cursor?: string) => alice.getLikes({ uri: post.uri, limit: 2, ...(cursor && { cursor }) })
    const { data: first } = await likes()
    const { data: second } = await likes(first.cursor)
    expect([first, second].map((page) => page.likes.map(({ actor }) => actor.did))).toEqual([
      [bob.did, dave.did],
      [carol.did],
    ])
    expect(second.cursor).toBeUndefined()
    const { data: reposts } = await alice.getRepostedBy({ uri: post.uri })
    expect(reposts.repostedBy.map(({ did }) => did)).toEqual([bob.did, dave.did, carol.did])
  })

  test('leaves out blocked accounts', async () => {
    const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
    const post = await network.post(alice, 'Popular')
    for (const one of [bob, carol]) {
      await one.like(post.uri, post.cid)
      await network.repost(one, post)
      await network.quote(one, one.handle, post)
    }
    await network.block(alice, bob)
    const { uri } = post
    expect((await alice.getLikes({ uri })).data.likes.map(({ actor }) => actor.did)).toEqual([carol.did])
    expect((await alice.getRepostedBy({ uri })).data.repostedBy.map(({ did }) => did)).toEqual([carol.did])
    const quotes = await alice.app.bsky.feed.getQuotes({ uri })
    expect(texts(quotes.data.posts)).toEqual([carol.handle])
  })

  test('is empty for a post that is not here', async () => {
    const [alice] = await network.join('alice')
    const uri = 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.feed.post/3k2222222222a'
    expect((await alice.getLikes({ uri, cid: someCid })).data).toEqual({ uri, cid: someCid, likes: [] })
    expect((await alice.getRepostedBy({ uri })).data).toEqual({ uri, repostedBy: [] })
    expect((await alice.app.bsky.feed.getQuotes({ uri })).data).toEqual({ uri, posts: [] })
  })
})

describe('feed generators', () => {
  test('are listed by the account that declares them', async () => {
    const [alice] = await network.join('alice')
    const record = { did: alice.did, displayName: 'Birds', createdAt: network.now }
    const { uri } = await network.write(alice, 'app.bsky.feed.generator', record, 'birds')
    const { feed } = network.anonymous.app.bsky
    const view = { uri, displayName: 'Birds', creator: { did: alice.did }, likeCount: 0 }
    expect((await feed.getActorFeeds({ actor: alice.did })).data).toMatchObject({ feeds: [view] })
    expect((await feed.getFeedGenerators({ feeds: [uri, `${uri}x`] })).data).toMatchObject({ feeds: [view] })
    expect((await feed.getFeedGenerator({ feed: uri })).data).toMatchObject({ view, isOnline: false })
  })

  test('of other servers are unknown, their feeds are empty, and none is suggested', async () => {
    const { feed } = network.anonymous.app.bsky
    const uri = 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.feed.generator/birds'
    expect((await feed.getFeed({ feed: uri })).data).toEqual({ feed: [] })
    await expect(feed.getFeedGenerator({ feed: uri })).rejects.toMatchObject({ status: 400 })
    expect((await feed.getSuggestedFeeds()).data).toEqual({ feeds: [] })
  })
})
