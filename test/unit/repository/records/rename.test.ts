/** Records in two vocabularies: which of their texts are names. */
import { globSync, readFileSync } from 'node:fs'
import type { LexMap } from '@atproto/lex-data'
import { expect, test } from 'vitest'
import { createNames } from '../../../../server/platform/config/aliases.ts'
import { tokenProperties } from '../../../../server/platform/xrpc/project.ts'
import { renameRecord, withOwnTypes } from '../../../../server/repository/records/rename.ts'

interface Schema {
  readonly ref?: string
  readonly items?: Schema
  readonly knownValues?: readonly string[]
}

interface Document {
  readonly id: string
  readonly defs: Readonly<Record<string, Schema>>
}

const names = createNames(
  new Map([
    ['app.bsky', 'app.example'],
    ['com.atproto', 'com.core'],
  ]),
)
const cid = 'bafyreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const uriIn = (collection: string) => `at://did:web:a.test/${collection}/1`

function post(authority: string, core: string): LexMap {
  const ref = { uri: uriIn(`${authority}.feed.post`), cid }
  return {
    $type: `${authority}.feed.post`,
    text: uriIn('app.example.feed.post'),
    reply: { root: ref, parent: ref },
    embed: {
      $type: `${authority}.embed.recordWithMedia`,
      record: { record: ref },
      media: {
        $type: `${authority}.embed.external`,
        external: { uri: uriIn('app.example.feed.post'), title: 'A link', description: '' },
      },
    },
    facets: [{ features: [{ $type: `${authority}.richtext.facet#mention`, did: 'did:web:a.test' }] }],
    labels: { $type: `${core}.label.defs#selfLabels`, values: [] },
    other: { $type: 'org.example.thing', uri: uriIn('app.example.feed.post') },
  }
}

const ours = post('app.example', 'com.core')
const theirs = post('app.bsky', 'com.atproto')

test('renameRecord: maps types at every depth and AT URIs of the lexicon, no other text', () => {
  expect(renameRecord(ours, names, names.stored)).toEqual(theirs)
  expect(renameRecord(theirs, names, names.own)).toEqual(ours)
})

test('renameRecord: maps tokens, lists of AT URIs and members of unions', () => {
  const list = { $type: 'app.example.graph.list', name: 'Friends', purpose: 'app.example.graph.defs#modlist' }
  expect(renameRecord(list, names, names.stored)).toMatchObject({ purpose: 'app.bsky.graph.defs#modlist' })
  const gate = (authority: string) => ({
    $type: `${authority}.feed.threadgate`,
    post: uriIn(`${authority}.feed.post`),
    allow: [{ $type: `${authority}.feed.threadgate#listRule`, list: uriIn(`${authority}.graph.list`) }],
    hiddenReplies: [uriIn(`${authority}.feed.post`)],
  })
  expect(renameRecord(gate('app.example'), names, names.stored)).toEqual(gate('app.bsky'))
})

test('tokenProperties: has all properties with tokens', () => {
  const files = globSync('lexicons/{com,app,chat}/**/*.json')
  const documents: Document[] = files.map((file) => JSON.parse(readFileSync(file, 'utf8')))
  const definitions = new Map(
    documents.flatMap(({ id, defs }) =>
      Object.entries(defs).map(([name, definition]) => [name === 'main' ? id : `${id}#${name}`, definition]),
    ),
  )
  const hasTokens = (schema: Schema | undefined, id: string): boolean => {
    if (schema?.ref)
      return hasTokens(definitions.get(schema.ref.replace(/^#/, `${id}#`)), schema.ref.split('#')[0] || id)
    return schema?.items
      ? hasTokens(schema.items, id)
      : (schema?.knownValues ?? []).some((value) => value.includes('#'))
  }
  const found = new Set<string>()
  const search = (value: unknown, id: string): void => {
    if (typeof value !== 'object' || value === null) return
    const { properties = {} } = value as { properties?: Record<string, Schema> }
    for (const [name, schema] of Object.entries(properties)) if (hasTokens(schema, id)) found.add(name)
    for (const member of Object.values(value)) search(member, id)
  }
  for (const document of documents) search(document, document.id)
  expect([...found].sort()).toEqual([...tokenProperties].sort())
})

test('renameRecord: keeps malformed values and URIs of other things', () => {
  const record = {
    $type: 'app.bsky.feed.like',
    subject: { uri: 'at://did:web:a.test', cid: null },
    via: 'app.example.feed.repost',
    bytes: new Uint8Array(2),
  }
  expect(renameRecord(record, names, names.stored)).toBe(record)
})

test('withOwnTypes: keeps AT URIs as they are stored', () => {
  const like = { $type: 'app.bsky.feed.like', subject: { uri: uriIn('app.bsky.feed.post'), cid } }
  expect(withOwnTypes(like, names)).toEqual({ ...like, $type: 'app.example.feed.like' })
})
