/** Answers have the names of their caller: the same content under our names and under those of the network. */
import { beforeAll, describe, expect, test } from 'vitest'
import { owner as alice, other as bob, server, setupServer, social } from '../support/server/setup.ts'
import { body, createdAt, feed, graph, mentions, type Ref } from '../support/server/social.ts'

/** Written under our names. */
let post: Ref
/** Written under the names of the network. */
let theirs: Ref
let list: Ref
let pack: Ref

const labels = { $type: 'com.core.label.defs#selfLabels', values: [{ val: 'spoiler' }] }
const toNetwork = (text: string) =>
  text.replaceAll('app.example', 'app.bsky').replaceAll('com.core', 'com.atproto')

setupServer({ accounts: ['alice', 'bob'] })
beforeAll(async () => {
  const items = async (collection: string, record: object) =>
    social.write(alice, `${graph}.${collection}`, { ...record, createdAt })
  list = await items('list', { name: 'Friends', purpose: `${graph}.defs#curatelist`, labels })
  await items('listitem', { subject: bob.did, list: list.uri })
  pack = await items('starterpack', { name: 'Start', list: list.uri })
  post = await social.post(alice, { ...mentions(bob), labels, text: 'Hello' })
  theirs = await social.write(bob, 'app.bsky.feed.post', { text: 'Theirs', createdAt })
  await social.put(alice, 'app.example.actor.profile', 'self', {
    displayName: 'Alice',
    labels,
    pinnedPost: post,
  })
  await social.put(alice, 'app.example.actor.status', 'self', {
    ...{ status: 'app.example.actor.status#live', createdAt, durationMinutes: 10_000_000 },
  })
  await social.write(
    alice,
    `${feed}.threadgate`,
    {
      ...{ post: post.uri, createdAt, allow: [{ $type: `${feed}.threadgate#listRule`, list: list.uri }] },
    },
    { rkey: post.uri.split('/').at(-1) },
  )
  await social.follow(bob, alice)
  await social.follow(alice, bob)
  await social.reply(bob, post)
  await social.quote(bob, post, { text: 'Quote' })
  await social.quote(alice, theirs, { text: 'Quote of theirs' })
  await social.like(bob, post, await social.repost(bob, post))
  await social.verify(bob, alice)
  body(await server.post('app.example.bookmark.createBookmark', { ...post }, bob))
})

describe.each(['alice', 'bob'])('for %s', (name) => {
  test.each<[string, () => Record<string, string | string[]>]>([
    ['feed.getTimeline', () => ({})],
    ['feed.getAuthorFeed', () => ({ actor: alice.did })],
    ['feed.getPostThread', () => ({ uri: post.uri })],
    ['unspecced.getPostThreadV2', () => ({ anchor: post.uri })],
    ['feed.getPosts', () => ({ uris: [post.uri, theirs.uri] })],
    ['feed.getLikes', () => ({ uri: post.uri })],
    ['feed.getQuotes', () => ({ uri: post.uri })],
    ['feed.getListFeed', () => ({ list: list.uri })],
    ['actor.getProfile', () => ({ actor: alice.did })],
    ['actor.getProfiles', () => ({ actors: [alice.did, bob.did] })],
    ['actor.searchActors', () => ({ q: 'alice' })],
    ['graph.getFollows', () => ({ actor: alice.did })],
    ['graph.getLists', () => ({ actor: alice.did })],
    ['graph.getList', () => ({ list: list.uri })],
    ['graph.getStarterPack', () => ({ starterPack: pack.uri })],
    ['notification.listNotifications', () => ({})],
    ['bookmark.getBookmarks', () => ({})],
  ])('%s', async (method, params) => {
    const account = name === 'alice' ? alice : bob
    const ask = async (authority: string, more: object) =>
      JSON.stringify(
        body(await server.get(`${authority}.${method}`, more as Record<string, string>, account)),
      )
    const ours = await ask('app.example', params())
    expect(ours).not.toMatch(/app\.bsky|com\.atproto/)
    expect(await ask('app.bsky', params())).toBe(toNetwork(ours))
    const asked = JSON.parse(toNetwork(JSON.stringify(params())))
    expect(await ask('app.bsky', asked)).toBe(toNetwork(ours))
  })
})
