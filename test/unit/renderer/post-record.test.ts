import type { TypedBlobRef } from '@atproto/lex-data'
import { expect, test } from 'vitest'
import { findFeatures } from '../../../renderer/api/facets.ts'
import { type PostContent, postRecord } from '../../../renderer/api/post-record.ts'

type PostView = NonNullable<PostContent['quote']>

const now = new Date('2030-01-01')
const [root, parent] = [
  { uri: 'at://did:plc:a/app.example.feed.post/3kaaaaaaaaaa2', cid: 'bafyroot' },
  { uri: 'at://did:plc:b/app.example.feed.post/3kaaaaaaaaab2', cid: 'bafyparent' },
]
const image = { image: {} as TypedBlobRef, alt: 'A cat', aspectRatio: { width: 2, height: 1 } }

function view(ref: object, record: object): PostView {
  return { ...ref, record, author: {}, indexedAt: '' } as unknown as PostView
}

function written(more: Partial<PostContent>) {
  const { text = 'Hi' } = more
  const content = { text, language: 'en', features: findFeatures(text), dids: new Map(), images: [] }
  return postRecord({ ...content, ...more }, now)
}

test('a post of text has no other members', () => {
  expect(written({})).toEqual({
    $type: 'app.example.feed.post',
    text: 'Hi',
    langs: ['en'],
    createdAt: '2030-01-01T00:00:00.000Z',
  })
})

test('a reply refers to its parent, and to the root of the thread', () => {
  expect(written({ replyTo: view(root, {}) })).toMatchObject({ reply: { root, parent: root } })
  const reply = view(parent, { reply: { root, parent: root } })
  expect(written({ replyTo: reply })).toMatchObject({ reply: { root, parent } })
})

test('a quote, pictures, and a quote with pictures', () => {
  const record = { $type: 'app.example.embed.record', record: root }
  const media = { $type: 'app.example.embed.images', images: [image] }
  expect(written({ quote: view(root, {}) }).embed).toEqual(record)
  expect(written({ images: [image] }).embed).toEqual(media)
  expect(written({ images: [image], quote: view(root, {}) }).embed).toEqual({
    $type: 'app.example.embed.recordWithMedia',
    record,
    media,
  })
})

test('a mention without an account stays text', () => {
  const text = '@bob.test @carol.test #tag'
  const feature = (name: string, more: object) => [{ $type: `app.example.richtext.facet#${name}`, ...more }]
  expect(written({ text, dids: new Map([['carol.test', 'did:plc:carol']]) }).facets).toEqual([
    { index: { byteStart: 10, byteEnd: 21 }, features: feature('mention', { did: 'did:plc:carol' }) },
    { index: { byteStart: 22, byteEnd: 26 }, features: feature('tag', { tag: 'tag' }) },
  ])
  expect(written({ text: '@bob.test' })).not.toHaveProperty('facets')
})
