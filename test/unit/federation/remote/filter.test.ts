/** What of other servers is kept, and why the rest is left out. */
import { encode } from '@atproto/lex-cbor'
import { beforeAll, expect, test } from 'vitest'
import type { Filter } from '../../../../server/federation/remote/filter/filter.ts'
import { createMentions, type Mentions } from '../../../../server/federation/remote/filter/mentions.ts'
import { nameOf, readContent } from '../../../../server/federation/remote/read-change.ts'
import * as tables from '../../../../server/federation/tables/remote-interest.ts'
import { RemoteAuthor } from '../../../support/remote/remote-author.ts'
import { adminAuth } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer, social } from '../../../support/server/setup.ts'

let filter: Filter
let mentions: Mentions

const isWatched = (did: string) => tables.isWatched(server.running.services.store, did)

setupServer({ accounts: ['alice'] })
beforeAll(async () => {
  const { federation, store } = server.running.services
  filter = federation.filter
  mentions = createMentions(store)
})

const bytesOf = (record: object) => encode({ ...record })

test('the DID of an account is found in every place of a record', () => {
  const uri = `at://${alice.did}/app.bsky.feed.post/3kaaaaaaaaaa2`
  const found = [
    { subject: alice.did, createdAt: '2030-01-01T00:00:00Z' },
    { subject: { uri, cid: 'bafy' } },
    { text: `Hello ${alice.did}` },
    { facets: [{ features: [{ did: alice.did, $type: 'app.bsky.richtext.facet#mention' }] }] },
    { some: 'did:web:other.test', other: [alice.did] },
  ]
  for (const record of found)
    expect(mentions.mentionsLocal(bytesOf(record)), JSON.stringify(record)).toBe(true)
})

test('other DIDs and parts of one are not found', () => {
  const { did } = new RemoteAuthor(server)
  for (const text of [did, `at://${did}/app.bsky.feed.post/1`, alice.did.slice(0, -1), 'did:plc:', 'did:']) {
    expect(mentions.mentionsLocal(bytesOf({ text })), text).toBe(false)
  }
})

test('accounts count as soon as they exist, and until they are deleted', async () => {
  const bob = await server.account('bob')
  expect([filter.isLocal(bob.did), mentions.mentionsLocal(bytesOf(bob))]).toEqual([true, true])
  await server.post('com.core.admin.deleteAccount', { did: bob.did }, adminAuth)
  expect([filter.isLocal(bob.did), mentions.mentionsLocal(bytesOf(bob))]).toEqual([false, false])
})

test('someone is watched while an account follows them or is subscribed to their posts', async () => {
  const [bob, carol] = [new RemoteAuthor(server), new RemoteAuthor(server)]
  expect([bob, carol].map(({ did }) => isWatched(did) || filter.isKnown(did))).toEqual([false, false])
  const follow = await social.follow(alice, bob)
  const subscribe = (post: boolean) => {
    const activitySubscription = { post, reply: false }
    const input = { subject: carol.did, activitySubscription }
    return server.post('app.bsky.notification.putActivitySubscription', input, alice)
  }
  await subscribe(true)
  expect([bob, carol].map(({ did }) => isWatched(did) && filter.isKnown(did))).toEqual([true, true])
  await social.remove(alice, follow)
  await subscribe(false)
  expect([bob, carol].map(({ did }) => isWatched(did) || filter.isKnown(did))).toEqual([false, false])
})

test('someone is known while a record of them is stored, or one of an account refers to them', async () => {
  const [bob, carol, dave] = [new RemoteAuthor(server), new RemoteAuthor(server), new RemoteAuthor(server)]
  const post = await social.post(alice)
  const like = await bob.like(post)
  const mute = { actor: dave.did }
  const theirs = { uri: `at://${carol.did}/app.bsky.feed.post/3kaaaaaaaaaa2`, cid: post.cid }
  const reply = await social.reply(alice, theirs)
  await server.post('app.bsky.graph.muteActor', mute, alice)
  const known = () => [bob, carol, dave].map(({ did }) => filter.isKnown(did))
  expect(known()).toEqual([true, true, true])
  await bob.remove(like)
  await social.remove(alice, reply)
  await server.post('app.bsky.graph.unmuteActor', mute, alice)
  expect(known()).toEqual([false, false, false])
})

test('a DID is found behind thousands of others', () => {
  for (const filler of ['did:', 'did:plc:', alice.did.slice(0, 20)]) {
    const text = Buffer.from(filler.repeat(5000))
    expect(mentions.mentionsLocal(text)).toBe(false)
    expect(mentions.mentionsLocal(Buffer.concat([text, Buffer.from(`${alice.did}x`)]))).toBe(true)
  }
})

test('nothing is made of each of the DIDs in a message', () => {
  const original = Buffer.prototype.toString
  let texts = 0
  Buffer.prototype.toString = function (...args: Parameters<typeof original>) {
    texts++
    return original.apply(this, args)
  }
  const bytes = Buffer.alloc(1_000_000, 'did:')
  try {
    expect(mentions.mentionsLocal(bytes)).toBe(true)
  } finally {
    Buffer.prototype.toString = original
  }
  expect(texts).toBe(0)
})

test('a DID is found in a large message', () => {
  const filler = Buffer.alloc(1_000_000, 'did dad: ')
  const parts = (did: string) =>
    Buffer.concat([filler.subarray(0, 100_000), Buffer.from(`${did}!`), filler.subarray(0, 8)])
  expect(mentions.mentionsLocal(parts(alice.did))).toBe(true)
  expect(mentions.mentionsLocal(parts(alice.did.slice(0, -1)))).toBe(false)
})

test.each(['did:', 'did:plc:', 'did:plc:abcdefgh22222222', ':'])(
  'a message full of %s counts as a mention after 20,000 look-ups per beginning',
  (unit) => {
    mentions.mentionsLocal(Buffer.from('did:'))
    const original = Map.prototype.get
    let lookUps = 0
    Map.prototype.get = function (key) {
      lookUps++
      return original.call(this, key)
    }
    try {
      expect(mentions.mentionsLocal(Buffer.alloc(5_000_000, unit))).toBe(true)
    } finally {
      Map.prototype.get = original
    }
    expect(lookUps).toBeLessThan(100_000)
  },
)

test('an event is kept or left out for a reason, by as few of its bytes as possible', async () => {
  const [bob, carol] = [new RemoteAuthor(server), new RemoteAuthor(server)]
  await social.follow(alice, bob)
  const judge = (did: string, path: string, action = 'create', blocks: object = {}) => {
    let isRead = false
    const decision = filter.event({ kind: 'commit', did, blocks: bytesOf(blocks) }, () => {
      isRead = true
      return [{ action, path }]
    })
    return [decision.keep || decision.reason, isRead]
  }
  expect(judge(alice.did, 'app.bsky.feed.post/1')).toEqual(['local', false])
  expect(judge(carol.did, 'app.bsky.feed.post/1')).toEqual(['unknown', false])
  expect(judge(carol.did, 'app.bsky.feed.post/1', 'create', { did: alice.did })).toEqual([true, false])
  expect(judge(bob.did, 'app.bsky.feed.post/1')).toEqual([true, true])
  expect(judge(bob.did, 'app.bsky.feed.like/1')).toEqual(['unrelated', true])
  expect(judge(bob.did, 'app.bsky.feed.like/1', 'delete')).toEqual([true, true])
  expect(filter.event({ kind: 'commit', did: bob.did, blocks: bytesOf({}) }, () => undefined).keep).toBe(true)
  expect(filter.event({ kind: 'identity', did: bob.did, blocks: bytesOf({}) }, () => [])).toEqual({
    keep: true,
  })
})

test('the gate of a post that is stored is kept, also if it comes after the post', async () => {
  const bob = new RemoteAuthor(server)
  const change = await bob.change('app.bsky.feed.post', { text: 'Root' })
  const root = { uri: `at://${bob.did}/app.bsky.feed.post/${change.rkey}`, cid: change.content?.cid ?? '' }
  await social.reply(alice, root)
  await bob.apply([change], { notify: false })
  const judge = (path: string) =>
    filter.event({ kind: 'commit', did: bob.did, blocks: bytesOf({}) }, () => [{ action: 'create', path }])
      .keep
  for (const gate of ['app.bsky.feed.threadgate', 'app.bsky.feed.postgate', 'app.example.feed.threadgate']) {
    expect(judge(`${gate}/${change.rkey}`)).toBe(true)
    expect(judge(`${gate}/3kaaaaaaaaaa2`)).toBe(false)
  }
})

test('a record is kept for a purpose, or left out for a reason', async () => {
  const [bob, carol, dave] = [new RemoteAuthor(server), new RemoteAuthor(server), new RemoteAuthor(server)]
  await social.follow(alice, bob)
  await server.post('app.bsky.graph.muteActor', { actor: dave.did }, alice)
  const post = await social.post(alice)
  const { store, names } = server.running.services
  const judge = async (by: RemoteAuthor, collection: string, record: object, rkey?: string) => {
    const change = await by.change(collection, record, rkey === undefined ? {} : { rkey })
    const name = nameOf(change, names)
    const content = change.content && readContent(change, change.content.bytes, { db: store, names })
    if (!name) return expect.unreachable('the collection has no use here')
    const decision = filter.record(store, name, content, { isNew: true, isLive: true })
    return decision.keep ? decision.purpose : decision.reason
  }
  const like = { subject: { uri: post.uri, cid: post.cid } }
  expect(await judge(carol, 'app.bsky.feed.like', like)).toBe('lasting')
  expect(await judge(dave, 'app.bsky.feed.like', like)).toBe('unwelcome')
  expect(await judge(bob, 'app.bsky.feed.post', { text: 'Hello' })).toBe('feed')
  expect(await judge(carol, 'app.bsky.feed.post', { text: 'Hello' })).toBe('unrelated')
  expect(await judge(carol, 'app.bsky.actor.profile', {}, 'self')).toBe('unknown')
  expect(await judge(carol, 'app.bsky.feed.like', { $type: 'app.bsky.feed.post' })).toBe('unreadable')
})
