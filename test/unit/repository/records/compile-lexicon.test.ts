/** Schemas of published lexicons: all types of the language, and limits of documents that anyone may have written. */
import type { LexMap } from '@atproto/lex-data'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compileRecordLexicon,
  MalformedLexicon,
} from '../../../../server/repository/records/compile-lexicon.ts'

const nsid = 'example.notes.note'

const compile = (defs: LexMap, others: Record<string, LexMap> = {}) =>
  compileRecordLexicon(nsid, async (name) => ({
    id: name,
    defs: name === nsid ? defs : (others[name] ?? {}),
  }))

const record = (properties: LexMap, more: LexMap = {}): LexMap => ({
  type: 'record',
  key: 'tid',
  record: { type: 'object', properties, ...more },
})

/** Whether a record with a property of a type is valid. */
async function accepts(type: LexMap, value: unknown, defs: LexMap = {}): Promise<boolean> {
  const schema = await compile({ main: record({ value: type }), ...defs })
  return schema.safeValidate({ $type: nsid, value }).success
}

const defs: LexMap = {
  one: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
  list: { type: 'array', items: { type: 'integer' } },
  mark: { type: 'token' },
}
const union = { type: 'union', refs: ['#one'] }
const blob = {
  $type: 'blob',
  ref: { $link: 'x' },
  mimeType: 'image/png',
  size: 10,
}

test.each<[LexMap, valid: unknown[], invalid: unknown[]]>([
  [{ type: 'boolean' }, [true], [1]],
  [{ type: 'boolean', const: true }, [true], [false]],
  [{ type: 'integer', minimum: 1, maximum: 3 }, [1, 3], [0, 4, 1.5, '1']],
  [{ type: 'integer', enum: [1, 5] }, [5], [2]],
  [{ type: 'string', minLength: 2, maxLength: 3 }, ['ab'], ['a', 'abcd', 7]],
  [{ type: 'string', maxGraphemes: 1 }, ['👩‍👩‍👧'], ['ab']],
  [{ type: 'string', format: 'did' }, ['did:web:a.example'], ['a']],
  [{ type: 'string', format: 'of a later version' }, ['a'], [1]],
  [{ type: 'string', enum: ['a', 'b'] }, ['b'], ['c']],
  [{ type: 'string', const: 'a' }, ['a'], ['b']],
  [{ type: 'string', knownValues: ['a'] }, ['b'], [1]],
  [{ type: 'bytes', maxLength: 2 }, [new Uint8Array(2)], [new Uint8Array(3), 'ab']],
  [{ type: 'unknown' }, [{ a: 1 }], ['a', 1]],
  [
    { type: 'array', items: { type: 'string' }, minLength: 1, maxLength: 2 },
    [['a']],
    [[], ['a', 'b', 'c'], [1]],
  ],
  [{ type: 'object', properties: {} }, [{ more: 1 }], ['a']],
  [{ type: 'ref', ref: '#one' }, [{ a: 'b' }], [{}, 'a']],
  [{ type: 'ref', ref: `lex:${nsid}#list` }, [[1, 2]], [['a']]],
  [{ type: 'ref', ref: '#mark' }, [`${nsid}#mark`], ['other']],
  [
    union,
    [{ $type: `${nsid}#one`, a: 'b' }, { $type: 'example.other' }],
    [{ $type: `${nsid}#one` }, { a: 'b' }],
  ],
  [{ ...union, closed: true }, [{ $type: `${nsid}#one`, a: 'b' }], [{ $type: 'example.other' }]],
  [{ type: 'blob', accept: ['image/*'] }, [], [blob, 'a']],
  [{ type: 'cid-link' }, [], ['bafy', { $link: 'x' }]],
])('%j', async (type, valid, invalid) => {
  for (const value of valid) expect(await accepts(type, value, defs), JSON.stringify(value)).toBe(true)
  for (const value of invalid) expect(await accepts(type, value, defs), JSON.stringify(value)).toBe(false)
})

test('required and nullable properties; others may be absent', async () => {
  const schema = await compile({
    main: record({ a: { type: 'string' }, b: { type: 'string' } }, { required: ['a', 'b'], nullable: ['b'] }),
  })
  const isValid = (value: object) => schema.safeValidate({ $type: nsid, ...value }).success
  expect(
    [
      { a: 'x', b: null },
      { a: 'x', b: 'y', c: 1 },
    ].map(isValid),
  ).toEqual([true, true])
  expect([{ a: null, b: null }, { a: 'x' }, {}].map(isValid)).toEqual([false, false, false])
})

test('a property may have any name', async () => {
  const properties = JSON.parse('{ "__proto__": { "type": "string" }, "constructor": { "type": "string" } }')
  const schema = await compile({ main: record(properties) })
  expect(Object.keys((schema.schema as { shape: object } & typeof schema.schema).shape)).toEqual([
    '__proto__',
    'constructor',
  ])
})

describe('MalformedLexicon', () => {
  const nested = (depth: number): LexMap =>
    depth === 0 ? { type: 'string' } : { type: 'array', items: nested(depth - 1) }
  const many = (count: number): LexMap =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, { type: 'string' }]))

  test.each<[string, LexMap]>([
    ['more than 5,000 types', { main: record(many(5_001)) }],
    ['arrays in each other', { main: record({ a: nested(40) }) }],
    [
      'references to more than 20 lexicons',
      {
        main: record(
          Object.fromEntries(
            Array.from({ length: 30 }, (_, n) => [
              `p${n}`,
              { type: 'ref', ref: `example.notes.other${'abcdefghijklmnopqrstuvwxyzABCDEFGH'[n]}` },
            ]),
          ),
        ),
      },
    ],
    ['a required property that is undefined', { main: record({}, { required: ['a'] }) }],
    ['a reference to no lexicon', { main: record({ a: { type: 'ref', ref: 'no nsid' } }) }],
    ['a name of the language as type', { main: record({ a: { type: 'constructor' } }) }],
    ['a definition that is a list', { main: [] as unknown as LexMap }],
    ['a union of a text', { main: record({ a: { type: 'union', refs: ['#b'] } }), b: { type: 'string' } }],
    ['a type that is no text', { main: record({ a: { type: { toString: 1, valueOf: 1 } } }) }],
    ['a key that is no text', { main: { ...record({}), key: { replace: 1 } } }],
    ['a second record', { main: record({ a: { type: 'ref', ref: '#b' } }), b: record({}) }],
  ])('%s', async (_, broken) => {
    const others = new Proxy({}, { get: () => ({ main: { type: 'object', properties: {} } }) })
    await expect(compile(broken, others)).rejects.toBeInstanceOf(MalformedLexicon)
  })
})

test('any document is compiled or refused, and what is compiled validates any record', async () => {
  const word = fc.constantFrom(
    ...['type', 'properties', 'items', 'ref', 'refs', 'required', 'enum', 'const', 'format', 'key', 'record'],
    ...['string', 'object', 'array', 'union', 'integer', 'boolean', 'blob', 'bytes', 'unknown', 'token'],
    ...['#a', '#main', 'did', 'maxLength', 'minimum', 'accept', '__proto__', 'toString'],
  )
  const { value } = fc.letrec<{ value: LexMap }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      word,
      fc.integer(),
      fc.constantFrom(null, true, ''),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(word, tie('value'), { maxKeys: 5 }),
    ) as fc.Arbitrary<LexMap>,
  }))
  const typed = fc.tuple(word, value).map(([type, rest]) => ({ ...rest, type }))
  await fc.assert(
    fc.asyncProperty(typed, typed, value, async (property, a, found) => {
      const schema = await compile({ main: record({ a: property }), a }).catch((error: unknown) => {
        expect(error).toBeInstanceOf(MalformedLexicon)
      })
      expect(() => schema?.safeValidate({ $type: nsid, a: found })).not.toThrow()
    }),
    { numRuns: 2_000 },
  )
})
