/** Search in posts. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type NetworkAccount, texts } from '../../../support/network-accounts.ts'
import { network, setupNetwork } from '../../../support/setup.ts'

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
