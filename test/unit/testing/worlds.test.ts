/** Worlds: the errors of a file with their lines, the schema, and the order of the steps. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { checkSchema } from '../../../server/testing/worlds/check.ts'
import { pictureOf } from '../../../server/testing/worlds/pictures.ts'
import { richText } from '../../../server/testing/worlds/text.ts'
import {
  beginOf,
  createSample,
  friends,
  loadWorld,
  parseWorld,
  planWorld,
  type Step,
  type World,
  WorldError,
  worldSchema,
} from '../../../server/testing/worlds/worlds.ts'

/** The lines of the error in a world, whose members are given. */
function errorsIn(...lines: string[]): string[] {
  const text = ['{', '  "accounts": [{ "name": "alice" }, { "name": "bob" }]', ...lines, '}'].join('\n')
  return errorsOf(() => parseWorld(text, 'world.json'))
}

function errorsOf(read: () => unknown): string[] {
  try {
    read()
  } catch (error) {
    if (error instanceof WorldError) return error.message.split('\n')
    throw error
  }
  return []
}

const accounts = [{ name: 'alice' }, { name: 'bob' }] as const
const end = new Date('2026-03-01T12:00:00.000Z')

/** A step as one line, with the hours before the end. */
function show({ at, action }: Step): string {
  const hours = (end.getTime() - at.getTime()) / 3_600_000
  const about =
    action.kind === 'undo'
      ? action.undoes.kind
      : action.kind === 'post'
        ? action.item.text
        : 'of' in action
          ? action.of
          : 'post' in action
            ? action.post
            : ''
  return `-${hours}h ${action.by} ${action.kind} ${about}`.trim()
}

const plan = (world: World) => planWorld(world, end).map(show)

describe('an error in a file has its line and its reason', () => {
  test('a reply to an unknown post', () => {
    expect(
      errorsIn(
        ', "posts": [',
        '    { "id": "hello", "by": "alice", "text": "Hello" },',
        '    { "by": "bob", "text": "Hi",',
        '      "reply": "hallo" }',
        '  ]',
      ),
    ).toEqual(['world.json:6: posts[1].reply: there is no post "hallo"; did you mean "hello"?'])
  })

  test('an unknown account, as actor, subject and mention', () => {
    expect(
      errorsIn(
        ', "follows": [{ "by": "alcie", "of": "bob" },',
        '    { "by": "alice",',
        '      "of": ["bob", "xavier"] }],',
        '  "posts": [{ "by": "alice",',
        '      "text": "Hello @bbo" }]',
      ),
    ).toEqual([
      'world.json:3: follows[0].by: there is no account "alcie"; did you mean "alice"?',
      'world.json:5: follows[1].of[1]: there is no account "xavier"',
      'world.json:7: posts[0].text: there is no account "bbo"; did you mean "bob"?',
    ])
  })

  test('a reply to a later post', () => {
    const posts = (first: string, second: string) =>
      errorsIn(
        `, "posts": [{ "by": "alice", "text": "One", "reply": "two"${first} },`,
        `  { "id": "two", "by": "bob", "text": "Two"${second} }]`,
      )
    expect(posts(', "at": "-2h"', ', "at": "-1h"')).toEqual([
      'world.json:3: posts[0].reply: post "two" is later (2025-12-31T23:00:00.000Z) than this (2025-12-31T22:00:00.000Z)',
    ])
    expect(posts('', '')).toEqual([expect.stringContaining('post "two" is later')])
    expect(posts(', "at": "-1h"', ', "at": "-2h"')).toEqual([])
  })

  test('unknown members, missing members and wrong types', () => {
    expect(
      errorsIn(
        ', "folows": [],',
        '  "posts": [{ "by": "alice", "txt": "Hello" },',
        '    { "by": "alice", "text": 3 },',
        '    { "by": "alice", "text": "Hi", "at": "3 days ago" }],',
        '  "follows": [{ "by": 7, "of": [] }],',
        '  "lists": [{ "id": "l", "by": "bob", "name": "List", "purpose": "moderate" }]',
      ),
    ).toEqual([
      'world.json:3: folows: there is no such member; did you mean "follows"?',
      'world.json:4: posts[0]: text is missing',
      'world.json:4: posts[0].txt: there is no such member; did you mean "text"?',
      'world.json:5: posts[1].text: must be a text, not an integer',
      'world.json:6: posts[2].at: "3 days ago" must have a form such as -3d, -1d12h, 2026-01-31T12:00:00Z',
      'world.json:7: follows[0].by: must be a text or an array, not an integer',
      'world.json:7: follows[0].of: must not be empty',
      'world.json:8: lists[0].purpose: must be one of "curate", "moderation", "reference"',
    ])
  })

  test('duplicates', () => {
    expect(
      errorsIn(
        ', "posts": [{ "id": "one", "by": "alice", "text": "One" },',
        '  { "id": "one", "by": "bob", "text": "Two" }],',
        '  "likes": [{ "by": ["alice", "bob"], "post": "one" },',
        '    { "by": "bob", "post": "one" }],',
        '  "follows": [{ "by": "bob", "of": "bob" }]',
      ),
    ).toEqual([
      'world.json:4: posts[1].id: there is another post "one"',
      'world.json:6: likes[1].by: bob does the same twice',
      'world.json:7: follows[0].of: bob cannot follow itself',
    ])
    expect(errorsIn(', "posts": [],', '"posts": []')).toEqual(['world.json:4: posts occurs twice'])
  })

  test('times outside of the world, and after an account has left', () => {
    expect(
      errorsIn(
        ', "start": "-2d",',
        '  "posts": [{ "by": "alice", "text": "Early", "at": "-3d" },',
        '    { "by": "bob", "text": "Nowhere", "at": "2025-13-41T00:00:00Z" }],',
        '  "likes": []',
      ),
    ).toEqual([
      'world.json:4: posts[0].at: is before the start of the world (2025-12-30T00:00:00.000Z)',
      'world.json:5: posts[1].at: there is no date 2025-13-41T00:00:00Z',
    ])
    const leaving: World = {
      accounts: [{ name: 'alice', state: { to: 'deactivated', at: '-2d' } }],
      posts: [{ by: 'alice', text: 'Still here', at: '-1d' }],
    }
    expect(errorsOf(() => planWorld(leaving, end))).toEqual([
      'posts[0]: alice is no longer active then (accounts[0].state at 2026-02-27T12:00:00.000Z)',
    ])
    const future: World = { accounts, posts: [{ by: 'bob', text: 'x', at: '2026-03-02T00:00:00Z' }] }
    expect(errorsOf(() => planWorld(future, end))).toEqual([
      'posts[0].at: is after the end of the world (2026-03-01T12:00:00.000Z)',
    ])
  })

  test.each([
    ['{ "accounts": [{ "name": "alice" },\n] }', 'world.json:2: expected a value instead of ]'],
    ['{ "accounts": []\n  "posts": [] }', 'world.json:2: expected , or } instead of "posts"'],
    ['{\n\n// no comments\n}', 'world.json:3: expected a name in quotes instead of //'],
    ['{ "accounts": [', 'world.json:1: expected a value instead of the end of the file'],
    ['{ "accounts": [] }\n}', 'world.json:2: expected the end of the file instead of }'],
    ["{ 'accounts': [] }", "world.json:1: expected a name in quotes instead of 'accounts':"],
    ['[]', 'world.json:1: must be an object, not an array'],
    ['null', 'world.json:1: must be an object, not null'],
    ['', 'world.json:1: expected a value instead of the end of the file'],
  ])('%j is refused', (text, message) => {
    expect(errorsOf(() => parseWorld(text, 'world.json'))).toEqual([message])
  })

  test('of many errors, the first twenty', () => {
    const names = Array.from({ length: 25 }, (_, index) => `someone-${index}`)
    const errors = errorsOf(() => planWorld({ accounts, follows: [{ by: 'alice', of: names }] }, end))
    expect(errors).toHaveLength(21)
    expect(errors.at(-1)).toBe('and 5 more')
  })

  test('an account that uses its own invite code', () => {
    const world: World = {
      accounts: [{ name: 'alice', inviteCode: 'own' }],
      inviteCodes: [{ id: 'own', by: 'alice' }],
    }
    expect(errorsOf(() => planWorld(world, end))).toEqual([expect.stringMatching(/refers to itself$/)])
  })

  test('a call that fails names its place', async () => {
    const world = parseWorld('{\n"accounts": [\n{ "name": "alice" }] }', 'world.json')
    const call = () => Promise.reject(new Error('no such server'))
    const deps = { call, admin: call, now: () => end }
    await expect(loadWorld(world, deps)).rejects.toThrow('world.json:3: accounts[0]: no such server')
  })
})

test('the example of the README is a world', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../../server/testing/worlds/README.md'), 'utf8')
  const [, example = ''] = /```json\n(.+?)```/s.exec(readme) ?? []
  expect(parseWorld(example, 'world.json').accounts).toHaveLength(2)
})

test('JSON is parsed as JSON.parse does', () => {
  const text = JSON.stringify({
    ...friends,
    posts: [{ by: 'alice', text: 'A "quote", a \\ and a \u{1f9e0}\n {}[],:' }],
    ...{ reposts: [], likes: [] },
  })
  expect(parseWorld(text, 'world.json')).toEqual(JSON.parse(text))
})

describe('the schema', () => {
  const isValid = new Ajv2020({ allErrors: true }).compile(worldSchema)
  const valid: Record<string, unknown> = { friends, sample: createSample(), least: { accounts: [] } }
  const invalid: Record<string, unknown> = {
    'no accounts': {},
    'an unknown member': { accounts: [], people: [] },
    'an unknown member of an account': { accounts: [{ name: 'alice', nickname: 'Al' }] },
    'a name in capitals': { accounts: [{ name: 'Alice' }] },
    'an email that is true': { accounts: [{ name: 'alice', email: true }] },
    'a negative server': { accounts: [{ name: 'alice', server: -1 }] },
    'a server that is no integer': { accounts: [{ name: 'alice', server: 0.5 }] },
    'an unknown state': { accounts: [{ name: 'alice', state: 'asleep' }] },
    'a state of another form': { accounts: [{ name: 'alice', state: { to: 'takedown', on: '-1d' } }] },
    'a relative time in the future': { accounts: [{ name: 'alice', at: '+1d' }] },
    'a time without a zone': { accounts: [{ name: 'alice', at: '2026-01-01T00:00:00' }] },
    'five pictures': { accounts, posts: [{ by: 'alice', text: '', pictures: [{}, {}, {}, {}, {}] }] },
    'a picture that is too wide': {
      accounts,
      posts: [{ by: 'alice', text: '', pictures: [{ width: 5000 }] }],
    },
    'an unknown gate': { accounts, posts: [{ by: 'alice', text: '', allowReplies: ['bob'] }] },
    'null for a list': { accounts, posts: null },
  }

  test.each(Object.entries(valid))('%s is valid, for the check and for ajv', (_, world) => {
    expect(checkSchema(worldSchema, world)).toEqual([])
    expect(isValid(world)).toBe(true)
  })

  test.each(Object.entries(invalid))('%s is invalid, for the check and for ajv', (_, world) => {
    expect(checkSchema(worldSchema, world)).toHaveLength(1)
    expect(isValid(world)).toBe(false)
  })

  test('world.schema.json has its text', () => {
    const file = join(import.meta.dirname, '../../../server/testing/world.schema.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(worldSchema)
  })
})

describe('the plan', () => {
  test('has the order of time, not of the file', () => {
    const world: World = {
      accounts,
      posts: [
        { id: 'late', by: 'alice', text: 'Late', at: '-1h' },
        { id: 'early', by: 'bob', text: 'Early', at: '2026-03-01T09:00:00Z' },
      ],
      likes: [
        { by: 'bob', post: 'late', at: '-30m' },
        { by: 'alice', post: 'early', at: '-2h', until: '-90m' },
      ],
    }
    expect(plan(world)).toEqual([
      '-3h alice account',
      '-3h bob account',
      '-3h bob post Early',
      '-2h alice like early',
      '-1.5h alice undo like',
      '-1h alice post Late',
      '-0.5h bob like late',
    ])
    expect(beginOf(world, end)).toEqual(new Date('2026-03-01T09:00:00Z'))
  })

  test('without times, each follows what it refers to, and posts have the order of the file', () => {
    const world: World = {
      start: '-1d12h',
      accounts: [...accounts, { name: 'carol', at: '-5h' }],
      follows: [
        { by: 'bob', of: ['alice', 'carol'] },
        { by: ['alice', 'bob'], of: ['alice', 'bob'], until: '-6h' },
      ],
      posts: [
        { id: 'one', by: 'alice', text: 'One', at: '-2h' },
        { id: 'two', by: 'bob', text: 'Two', reply: 'one' },
      ],
      likes: [{ by: 'carol', post: 'two' }],
      reposts: [
        { by: 'carol', post: 'one', via: 'again' },
        { id: 'again', by: 'bob', post: 'one', at: '-1h' },
      ],
    }
    expect(plan(world)).toEqual([
      '-36h alice account',
      '-36h bob account',
      '-36h bob follow alice',
      '-36h alice follow bob',
      '-36h bob follow alice',
      '-6h alice undo follow',
      '-6h bob undo follow',
      '-5h carol account',
      '-5h bob follow carol',
      '-2h alice post One',
      '-2h bob post Two',
      '-2h carol like two',
      '-1h bob repost one',
      '-1h carol repost one',
    ])
  })

  test('ends with the states of accounts that name no time', () => {
    const world: World = {
      accounts: [{ name: 'alice', state: 'suspended' }],
      posts: [{ by: 'alice', text: 'Hello' }],
    }
    expect(plan(world)).toEqual(['-0h alice account', '-0h alice post Hello', '-0h alice state'])
  })

  test('is the same each time', () => {
    expect(plan(createSample())).toEqual(plan(createSample()))
    expect(plan(friends)).toEqual(plan(friends))
  })
})

test('texts: names, tags and links become facets, with positions in bytes', () => {
  const find = (name: string) =>
    ['alice', 'alice.test'].includes(name) ? { did: 'did:plc:a', handle: 'alice.test' } : undefined
  const given =
    'Grüße @alice, (@alice.test) me@alice @other.example #tag1 #1 https://a.example/b?c=1. \u{1f9e0}'
  const { text, facets } = richText(given, find)
  expect(text).toBe(given.replace('@alice,', '@alice.test,'))
  const marked = facets.map(({ index, features: [feature] }) => [
    Buffer.from(text).subarray(index.byteStart, index.byteEnd).toString(),
    feature,
  ])
  const mention = { $type: 'app.bsky.richtext.facet#mention', did: 'did:plc:a' }
  expect(marked).toEqual([
    ['@alice.test', mention],
    ['@alice.test', mention],
    ['#tag1', { $type: 'app.bsky.richtext.facet#tag', tag: 'tag1' }],
    ['https://a.example/b?c=1', { $type: 'app.bsky.richtext.facet#link', uri: 'https://a.example/b?c=1' }],
  ])
})

describe('pictures', () => {
  const defaults = { width: 320, height: 200, key: 'key', file: undefined }

  test('drawings follow from colour, size and seed, and are small', async () => {
    const one = await pictureOf({ colour: '#3b82f6', seed: 1 }, defaults)
    expect(one).toMatchObject({ type: 'image/png', size: { width: 320, height: 200 } })
    expect(await pictureOf({ colour: '#3b82f6', seed: 1 }, defaults)).toEqual(one)
    for (const other of ['#3b82f6', '#abc', { seed: 1 }, { colour: '#3b82f6', seed: 2 }])
      expect((await pictureOf(other, defaults)).bytes).not.toEqual(one.bytes)
    expect(one.bytes.length).toBeLessThan(10_000)
    const start = Buffer.from(one.bytes).indexOf('IDAT')
    const length = Buffer.from(one.bytes).readUInt32BE(start - 4)
    expect(inflateSync(one.bytes.subarray(start + 4, start + 4 + length))).toHaveLength(321 * 200)
  })

  test('paths are relative to the file of the world', async () => {
    const file = join(import.meta.dirname, '../../../.github/world.json')
    const { size, type } = await pictureOf('../build/tray/tray.png', { ...defaults, file })
    expect(type).toBe('image/png')
    expect(size?.width).toBeGreaterThan(0)
    await expect(pictureOf('missing.png', { ...defaults, file })).rejects.toThrow('ENOENT')
  })
})
