/** Records of known lexicons are validated, under both names of their collection. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'
import { createdAt, someCid } from '../../../support/server/social.ts'

setupServer({ accounts: ['alice'] })

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const rkey = '3kaaaaaaaaaa2'
const subject = { uri: `at://${did}/app.example.feed.post/${rkey}`, cid: someCid }
const list = `at://${did}/app.example.graph.list/${rkey}`
const ownPost = () => `at://${alice.did}/app.example.feed.post/${rkey}`
const nsid = 'example.notes.note'
const invalid = { status: 400, body: { error: 'InvalidRequest' } }

/** By collection: a valid record, and members that make it invalid. */
const examples: Record<string, [record: () => object, broken: object]> = {
  'app.example.actor.contentVisibilityDeclaration': [
    () => ({ hideFromAlgorithmicRecommendations: true }),
    { hideFromAlgorithmicRecommendations: 'yes' },
  ],
  'app.example.actor.profile': [() => ({ displayName: 'Alice' }), { displayName: 7 }],
  'app.example.actor.status': [
    () => ({ status: 'app.example.actor.status#live', createdAt }),
    { durationMinutes: 0 },
  ],
  'app.example.feed.generator': [() => ({ did, displayName: 'Feed', createdAt }), { did: 'feed' }],
  'app.example.feed.like': [() => ({ subject, createdAt }), { subject: subject.uri }],
  'app.example.feed.post': [() => ({ text: 'Hello', createdAt }), { langs: ['en', 'de', 'fr', 'es'] }],
  'app.example.feed.postgate': [() => ({ post: ownPost(), createdAt }), { embeddingRules: 'none' }],
  'app.example.feed.repost': [() => ({ subject, createdAt }), { createdAt: 'today' }],
  'app.example.feed.threadgate': [() => ({ post: ownPost(), allow: [], createdAt }), { allow: 'no one' }],
  'app.example.graph.block': [() => ({ subject: did, createdAt }), { subject: 'bob.test' }],
  'app.example.graph.follow': [() => ({ subject: did, createdAt }), { subject: null }],
  'app.example.graph.list': [
    () => ({ name: 'List', purpose: 'app.example.graph.defs#modlist', createdAt }),
    { name: '' },
  ],
  'app.example.graph.listblock': [() => ({ subject: list, createdAt }), { subject: did }],
  'app.example.graph.listitem': [() => ({ subject: did, list, createdAt }), { list: did }],
  'app.example.graph.starterpack': [() => ({ name: 'Pack', list, createdAt }), { feeds: [did] }],
  'app.example.graph.verification': [
    () => ({ subject: did, handle: 'bob.test', displayName: 'Bob', createdAt }),
    { handle: 'bob' },
  ],
  'app.example.labeler.service': [
    () => ({ policies: { labelValues: ['spam'] }, createdAt }),
    { policies: { labelValues: 'spam' } },
  ],
  'app.example.notification.declaration': [
    () => ({ allowSubscriptions: 'mutuals' }),
    { allowSubscriptions: true },
  ],
  'chat.example.actor.declaration': [() => ({ allowIncoming: 'following' }), { allowIncoming: undefined }],
  'com.core.lexicon.schema': [() => ({ lexicon: 1, id: nsid, defs: {} }), { lexicon: '1' }],
  'com.germnetwork.declaration': [
    () => ({ version: '1.0.0', currentKey: { $bytes: 'AAAA' } }),
    { messageMe: { showButtonTo: 'everyone', messageMeUrl: 'no address' } },
  ],
}

const put = (collection: string, key: string, record: object) =>
  server.post('com.core.repo.putRecord', { repo: alice.did, collection, rkey: key, record }, alice)

const literal = (collection: string) => documents.get(collection)?.key.startsWith('literal:')
const documents = new Map<string, { key: string }>(
  globSync('lexicons/{app,chat,com}/**/*.json', { cwd: join(import.meta.dirname, '../../../..') })
    .map((file) => JSON.parse(readFileSync(file, 'utf8')))
    .filter(({ defs }) => defs.main?.type === 'record')
    .map(({ id, defs }) => [id, defs.main]),
)

test('every lexicon of a record has an example here', () => {
  expect(Object.keys(examples)).toEqual([...documents.keys()].toSorted())
})

describe.each(Object.entries(examples))('%s', (collection, [record, broken]) => {
  const ofName = documents.get(collection)?.key === 'nsid' ? nsid : rkey
  const key = literal(collection) ? 'self' : ofName
  const alias = collection.replace(/^(app|chat)\.example/, '$1.bsky').replace(/^com\.core/, 'com.atproto')

  test('accepts a valid record and rejects an invalid one', async () => {
    for (const name of [collection, alias]) {
      const valid = await put(name, key, record())
      expect(valid, name).toMatchObject({ status: 200, body: { validationStatus: 'valid' } })
      expect(await put(name, key, { ...record(), ...broken }), name).toMatchObject(invalid)
    }
  })

  test('checks the record key', async () => {
    const isAny = documents.get(collection)?.key === 'any'
    const answer = await put(collection, literal(collection) ? rkey : 'other', record())
    expect(answer).toMatchObject(isAny ? { status: 200 } : invalid)
  })
})

describe.each(['app.example.feed.threadgate', 'app.bsky.feed.postgate'])('%s', (collection) => {
  test('may name its post under an alias', async () => {
    const post = ownPost().replace('app.example', 'app.bsky')
    expect(await put(collection, rkey, { post, createdAt })).toMatchObject({ status: 200 })
  })

  test.each([
    ['a post of another account', () => subject.uri],
    ['a post with another record key', () => ownPost().replace(rkey, '3kaaaaaaaaaa3')],
    ['a record that is no post', () => ownPost().replace('post', 'like')],
    ['an account', () => `at://${alice.did}`],
  ])('is rejected for %s', async (_, post) => {
    expect(await put(collection, rkey, { post: post(), createdAt })).toMatchObject(invalid)
  })
})

test('a record whose lexicon allows any key gets a TID if none is given', async () => {
  const record = { did, displayName: 'Feed', createdAt }
  const input = { repo: alice.did, collection: 'app.example.feed.generator', record }
  const { body } = await server.post('com.core.repo.createRecord', input, alice)
  expect(body.uri).toMatch(/\/[2-7a-j][2-7a-z]{12}$/)
})
