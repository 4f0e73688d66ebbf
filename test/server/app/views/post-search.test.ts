/** Search in posts. */
import type { AppBskyFeedSearchPostsV2 } from '@atproto/api'
import { beforeAll, describe, expect, test } from 'vitest'
import { type NetworkAccount, texts } from '../../../support/remote/network-accounts.ts'
import { network, setupNetwork } from '../../../support/server/setup.ts'

let alice: NetworkAccount
let bob: NetworkAccount

setupNetwork()

beforeAll(async () => {
  ;[alice, bob] = await network.join('alice', 'bob')
  const mention = { $type: 'app.bsky.richtext.facet#mention', did: bob.did }
  const tag = { $type: 'app.bsky.richtext.facet#tag', tag: 'Garden' }
  const link = { $type: 'app.bsky.richtext.facet#link', uri: 'https://www.seeds.test/tomatoes/' }
  const facet = (feature: object) => ({ index: { byteStart: 0, byteEnd: 1 }, features: [feature] })
  await network.post(alice, 'The first tomatoes are ripe', { langs: ['en'], facets: [facet(tag)] })
  await network.post(bob, 'Tomatoes in June? Überraschend!', { langs: ['de-AT'], tags: ['garden', 'june'] })
  await network.post(alice, '@bob see the seeds', { facets: [facet(mention), facet(link)] })
  const external = { uri: 'https://seeds.test/tomatoes', title: 'Seeds', description: '' }
  await network.post(bob, '日本のトマト', { embed: { $type: 'app.bsky.embed.external', external } })
})

type Params = { q: string; [name: string]: unknown }

async function search(params: Params, reader = alice): Promise<string[]> {
  const { data } = await reader.app.bsky.feed.searchPosts({ sort: 'latest', ...params })
  return texts(data.posts)
}

const [first, second, third, fourth] = [
  'The first tomatoes are ripe',
  'Tomatoes in June? Überraschend!',
  '@bob see the seeds',
  '日本のトマト',
]

describe('a search in posts', () => {
  test.each([
    ['a word, in any letter case, the newest first', 'TOMATOES', [second, first]],
    ['the beginning of a word', 'tom', [second, first]],
    ['no other part of a word', 'matoes', []],
    ['all words', 'ripe first', [first]],
    ['a phrase', '"first tomatoes"', [first]],
    ['a phrase that does not occur', '"tomatoes first"', []],
    ['letters that are not ASCII', 'überraschend', [second]],
    ['a script without spaces', 'トマト', [fourth]],
    ['a tag', '#garden', [second, first]],
    ['the author', 'from:@BOB tomatoes', [second]],
    ['the author alone', 'from:BOB', [fourth, second]],
    ['a mention', 'mentions:BOB', [third]],
    ['a language', 'lang:de', [second]],
    ['a domain, and those below it', 'domain:seeds.test', [fourth, third]],
    ['an unknown author', 'from:unknown.test', []],
    ['special characters of patterns', 'june?', [second]],
    ['each special character alone', '\\ ^ $ . * + ? ( ) [ ] { } | / -', []],
  ])('finds %s', async (_, q, found) => {
    expect(await search({ q: q.replace('BOB', bob.handle) })).toEqual(found)
  })

  test('finds by parameters', async () => {
    expect(await search({ q: '*', author: bob.did })).toEqual([fourth, second])
    expect(await search({ q: '*', mentions: bob.handle })).toEqual([third])
    expect(await search({ q: '*', tag: ['garden', 'june'] })).toEqual([second])
    expect(await search({ q: '*', url: 'https://seeds.test/tomatoes/' })).toEqual([fourth])
    expect(await search({ q: 'see', lang: 'en' })).toEqual([])
  })

  test('finds what was posted within a time', async () => {
    const { data } = await alice.app.bsky.feed.searchPosts({ q: 'ripe' })
    const { createdAt: since = '' } = (data.posts[0]?.record ?? {}) as { createdAt?: string }
    const until = new Date(Date.parse(since) + 1).toISOString()
    expect(await search({ q: 'tomatoes', since })).toEqual([second, first])
    expect(await search({ q: 'tomatoes', until })).toEqual([first])
    expect(await search({ q: `tomatoes since:${until}` })).toEqual([second])
    await expect(search({ q: 'tomatoes since:yesterday' })).rejects.toMatchObject({
      status: 400,
      error: 'BadQueryString',
    })
  })

  test('is read page by page, also of one author', async () => {
    for (const q of ['tomatoes', '* from:BOB', '*']) {
      const pages: string[] = []
      let cursor: string | undefined
      do {
        const params = {
          q: q.replace('BOB', alice.handle),
          sort: 'latest',
          limit: 1,
          ...(cursor && { cursor }),
        }
        const { data } = await alice.app.bsky.feed.searchPosts(params)
        pages.push(...texts(data.posts))
        cursor = data.cursor
      } while (cursor !== undefined)
      expect(pages).toEqual(await search({ q: q.replace('BOB', alice.handle) }))
    }
  })

  test('top puts posts with likes and reposts first', async () => {
    const { data } = await alice.app.bsky.feed.searchPosts({ q: 'ripe' })
    const { uri, cid } = data.posts[0] ?? { uri: '', cid: '' }
    await bob.like(uri, cid)
    expect(await search({ q: 'tomatoes', sort: 'top' })).toEqual([first, second])
  })

  test('leaves out blocked accounts and deleted posts', async () => {
    const [carol, dave] = await network.join('carol', 'dave')
    const post = await network.post(carol, 'Cucumbers')
    expect(await search({ q: 'cucumbers' }, dave)).toEqual(['Cucumbers'])
    await network.block(carol, dave)
    expect(await search({ q: 'cucumbers' }, dave)).toEqual([])
    await carol.deletePost(post.uri)
    expect(await search({ q: 'cucumbers' })).toEqual([])
  })

  test('is refused to pages of other sites without credentials', async () => {
    const headers = { origin: 'https://elsewhere.test' }
    const path = '/xrpc/app.bsky.feed.searchPosts?q=tomatoes'
    expect(await network.server.fetch(path, { headers })).toMatchObject({ status: 403 })
    expect(await network.server.fetch(path)).toMatchObject({ status: 200 })
  })
})

describe('a search with filters', () => {
  type FilterParams = AppBskyFeedSearchPostsV2.QueryParams

  const filtered = async (params: FilterParams, reader = alice) =>
    texts((await reader.app.bsky.feed.searchPostsV2({ sort: 'recent', ...params })).data.posts)

  test('finds all posts without a text, and as searchPosts does with one', async () => {
    expect(await filtered({ query: '' })).toEqual([fourth, third, second, first])
    expect(await filtered({})).toEqual([fourth, third, second, first])
    expect(await filtered({ query: 'tomatoes', allTime: true })).toEqual([second, first])
    expect(await filtered({ query: '#june' })).toEqual([second])
    expect(await filtered({ query: `* from:${bob.handle}` })).toEqual([fourth, second])
    expect(await filtered({ query: 'tomatoes', sort: 'top', limit: 1 })).toEqual([first])
  })

  test.each<[string, () => FilterParams, (string | undefined)[]]>([
    ['an author', () => ({ authors: [bob.did] }), [fourth, second]],
    ['one of several authors', () => ({ authors: [bob.handle, alice.did] }), [fourth, third, second, first]],
    ['an unknown author', () => ({ authors: ['unknown.test'] }), []],
    ['other authors', () => ({ excludeAuthors: [bob.handle] }), [third, first]],
    ['one of several tags', () => ({ hashtags: ['June', 'ripe'] }), [second]],
    ['a tag, without another', () => ({ hashtags: ['garden'], excludeHashtags: ['june'] }), [first]],
    ['a mention', () => ({ mentions: [bob.handle] }), [third]],
    ['no mention', () => ({ excludeMentions: [bob.did], authors: [alice.did] }), [first]],
    ['one of several languages', () => ({ languages: ['de', 'fr'] }), [second]],
    ['other languages', () => ({ excludeLanguages: ['de'], hashtags: ['garden'] }), [first]],
    ['a domain', () => ({ domains: ['seeds.test'] }), [fourth, third]],
    ['no link to a domain', () => ({ excludeDomains: ['seeds.test'] }), [second, first]],
    ['a URL', () => ({ urls: ['https://seeds.test/tomatoes/'] }), [fourth]],
    [
      'no link to a URL',
      () => ({ excludeUrls: ['https://seeds.test/tomatoes'], authors: [bob.did] }),
      [second],
    ],
  ])('finds %s', async (_, params, found) => {
    expect(await filtered(params())).toEqual(found)
  })

  test('finds media, replies, quotes and posts of followed accounts', async () => {
    const [erin, frank] = await network.join('erin', 'frank')
    const root = await network.post(erin, 'Pumpkins')
    const reply = await network.reply(frank, 'Pumpkins, a reply', root)
    await network.reply(erin, 'Pumpkins, a further reply', reply, root)
    await network.quote(frank, 'Pumpkins, a quote', root)
    const image = { image: await network.image(frank), alt: 'Orange' }
    await network.post(frank, 'Pumpkins, a picture', {
      embed: { $type: 'app.bsky.embed.images', images: [image] },
    })
    const video = { $type: 'app.bsky.embed.video', video: await network.video(frank) }
    await network.post(frank, 'Pumpkins, a video', { embed: video })
    const find = async (params: FilterParams, reader = erin) =>
      (await filtered({ query: 'pumpkins', ...params }, reader)).map((text) => text.replace('Pumpkins, ', ''))
    expect(await find({ hasMedia: true })).toEqual(['a video', 'a picture'])
    expect(await find({ hasVideo: true })).toEqual(['a video'])
    expect(await find({ repliesOnly: true })).toEqual(['a further reply', 'a reply'])
    expect(await find({ excludeReplies: true, authors: [erin.did] })).toEqual(['Pumpkins'])
    expect(await find({ replyParentUri: root.uri })).toEqual(['a reply'])
    expect(await find({ threadRootUri: root.uri.replace(erin.did, erin.handle) })).toEqual([
      'a further reply',
      'a reply',
      'Pumpkins',
    ])
    expect(await find({ embeddedAtUris: [root.uri] })).toEqual(['a quote'])
    expect(await find({ excludeEmbeddedAtUris: [root.uri], hasMedia: true })).toHaveLength(2)
    expect(await find({ following: true })).toEqual([])
    await erin.follow(frank.did)
    expect(await find({ following: true, repliesOnly: true })).toEqual(['a reply'])
  })

  test('refuses times that are none, and replies that are both required and excluded', async () => {
    for (const params of [{ until: 'yesterday' }, { repliesOnly: true, excludeReplies: true }]) {
      await expect(filtered(params)).rejects.toMatchObject({ status: 400, error: 'BadQueryString' })
    }
  })

  test('is read page by page, also of several authors', async () => {
    const authors = [alice.did, bob.did]
    const pages: string[] = []
    let cursor: string | undefined
    do {
      const params = { sort: 'recent', authors, limit: 1, ...(cursor && { cursor }) }
      const { data } = await alice.app.bsky.feed.searchPostsV2(params)
      pages.push(...texts(data.posts))
      cursor = data.cursor
    } while (cursor !== undefined)
    expect(pages).toEqual([fourth, third, second, first])
  })
})
