import { expect, test } from 'vitest'
import { withCanonicalTypes } from '../../../server/records/prepare.ts'

const aliases = new Map([
  ['app.bsky', 'app.example'],
  ['com.atproto', 'com.core'],
])

test('withCanonicalTypes: replaces aliased $type at every depth', () => {
  const record = {
    $type: 'app.bsky.feed.post',
    text: 'app.bsky.feed.post',
    embed: {
      $type: 'app.bsky.embed.record',
      record: { uri: 'at://did:web:a.test/app.bsky.feed.post/1', cid: 'x' },
    },
    facets: [{ features: [{ $type: 'app.bsky.richtext.facet#mention', did: 'did:web:a.test' }] }],
    labels: { $type: 'com.atproto.label.defs#selfLabels', values: [] },
    other: { $type: 'org.example.thing' },
  }
  expect(withCanonicalTypes(record, aliases)).toEqual({
    ...record,
    $type: 'app.example.feed.post',
    embed: { ...record.embed, $type: 'app.example.embed.record' },
    facets: [{ features: [{ $type: 'app.example.richtext.facet#mention', did: 'did:web:a.test' }] }],
    labels: { $type: 'com.core.label.defs#selfLabels', values: [] },
  })
  expect(record.facets[0]?.features[0]?.$type).toBe('app.bsky.richtext.facet#mention')
})

test('withCanonicalTypes: returns a value without aliases unchanged', () => {
  const record = {
    $type: 'app.example.feed.post',
    tags: ['a'],
    langs: [],
    bytes: new Uint8Array(2),
    none: null,
  }
  expect(withCanonicalTypes(record, aliases)).toBe(record)
})
