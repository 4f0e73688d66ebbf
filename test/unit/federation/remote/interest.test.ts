/** Whom and what this server takes an interest in: cheap questions that sources ask for each event. */
import { encode } from '@atproto/lex-cbor'
import { beforeAll, expect, test } from 'vitest'
import type { Interest } from '../../../../server/federation/remote/interest.ts'
import { RemoteAuthor } from '../../../support/remote/remote-author.ts'
import { adminAuth } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer, social } from '../../../support/server/setup.ts'

let interest: Interest

setupServer({ accounts: ['alice'] })
beforeAll(async () => {
  interest = server.running.services.federation.interest
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
    expect(interest.mentionsLocal(bytesOf(record)), JSON.stringify(record)).toBe(true)
})

test('other DIDs and parts of one are not found', () => {
  const { did } = new RemoteAuthor(server)
  for (const text of [did, `at://${did}/app.bsky.feed.post/1`, alice.did.slice(0, -1), 'did:plc:', 'did:']) {
    expect(interest.mentionsLocal(bytesOf({ text })), text).toBe(false)
  }
})

test('accounts count as soon as they exist, and until they are deleted', async () => {
  const bob = await server.account('bob')
  expect([interest.isLocal(bob.did), interest.mentionsLocal(bytesOf(bob))]).toEqual([true, true])
  await server.post('com.core.admin.deleteAccount', { did: bob.did }, adminAuth)
  expect([interest.isLocal(bob.did), interest.mentionsLocal(bytesOf(bob))]).toEqual([false, false])
})

test('someone is watched while an account follows them or is subscribed to their posts', async () => {
  const [bob, carol] = [new RemoteAuthor(server), new RemoteAuthor(server)]
  expect([bob, carol].map(({ did }) => interest.isWatched(did) || interest.isKnown(did))).toEqual([
    false,
    false,
  ])
  const follow = await social.follow(alice, bob)
  const subscribe = (post: boolean) => {
    const activitySubscription = { post, reply: false }
    const input = { subject: carol.did, activitySubscription }
    return server.post('app.bsky.notification.putActivitySubscription', input, alice)
  }
  await subscribe(true)
  expect([bob, carol].map(({ did }) => interest.isWatched(did) && interest.isKnown(did))).toEqual([
    true,
    true,
  ])
  await social.remove(alice, follow)
  await subscribe(false)
  expect([bob, carol].map(({ did }) => interest.isWatched(did) || interest.isKnown(did))).toEqual([
    false,
    false,
  ])
})

test('someone is known while a record of them is stored, or one of an account refers to them', async () => {
  const [bob, carol, dave] = [new RemoteAuthor(server), new RemoteAuthor(server), new RemoteAuthor(server)]
  const post = await social.post(alice)
  const like = await bob.like(post)
  const mute = { actor: dave.did }
  const theirs = { uri: `at://${carol.did}/app.bsky.feed.post/3kaaaaaaaaaa2`, cid: post.cid }
  const reply = await social.reply(alice, theirs)
  await server.post('app.bsky.graph.muteActor', mute, alice)
  const known = () => [bob, carol, dave].map(({ did }) => interest.isKnown(did))
  expect(known()).toEqual([true, true, true])
  await bob.remove(like)
  await social.remove(alice, reply)
  await server.post('app.bsky.graph.unmuteActor', mute, alice)
  expect(known()).toEqual([false, false, false])
})

test('a DID is found behind thousands of others', () => {
  for (const filler of ['did:', 'did:plc:', alice.did.slice(0, 20)]) {
    const text = Buffer.from(filler.repeat(5000))
    expect(interest.mentionsLocal(text)).toBe(false)
    expect(interest.mentionsLocal(Buffer.concat([text, Buffer.from(`${alice.did}x`)]))).toBe(true)
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
    expect(interest.mentionsLocal(bytes)).toBe(true)
  } finally {
    Buffer.prototype.toString = original
  }
  expect(texts).toBe(0)
})

test('a DID is found in a large message', () => {
  const filler = Buffer.alloc(1_000_000, 'did dad: ')
  const parts = (did: string) =>
    Buffer.concat([filler.subarray(0, 100_000), Buffer.from(did), filler.subarray(0, 8)])
  expect(interest.mentionsLocal(parts(alice.did))).toBe(true)
  expect(interest.mentionsLocal(parts(alice.did.slice(0, -1)))).toBe(false)
})

test.each(['did:', 'did:plc:', 'did:plc:abcdefgh22222222', ':'])(
  'a message full of %s counts as a mention after 20,000 look-ups per beginning',
  (unit) => {
    interest.mentionsLocal(Buffer.from('did:'))
    const original = Map.prototype.get
    let lookUps = 0
    Map.prototype.get = function (key) {
      lookUps++
      return original.call(this, key)
    }
    try {
      expect(interest.mentionsLocal(Buffer.alloc(5_000_000, unit))).toBe(true)
    } finally {
      Map.prototype.get = original
    }
    expect(lookUps).toBeLessThan(100_000)
  },
)
