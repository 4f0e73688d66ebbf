/**
 * Arbitrary records of other servers: no response fails because of them, and all of them satisfy the network's client library.
 * `FUZZ_SEED=random` or a number changes the records, `FUZZ_RUNS` their number.
 */
import type { LexMap, LexValue } from '@atproto/lex-data'
import { parseCid } from '@atproto/lex-data'
import fc, { type Arbitrary } from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { NetworkAccount } from '../../../support/remote/network-accounts.ts'
import { RemoteAuthor } from '../../../support/remote/remote-author.ts'
import { network, setupNetwork } from '../../../support/server/setup.ts'
import { type Ref, someCid } from '../../../support/server/social.ts'

const { FUZZ_SEED = '2583', FUZZ_RUNS = '6' } = process.env
const seed = FUZZ_SEED === 'random' ? Date.now() & 0x7fffffff : Number(FUZZ_SEED)

let alice: NetworkAccount
let post: Ref

setupNetwork()

beforeAll(async () => {
  ;[alice] = await network.join('alice')
  post = await network.post(alice, 'Post')
})

const blob = {
  $type: 'blob',
  ref: parseCid(someCid.replace('bafyrei', 'bafkrei')),
  mimeType: 'image/png',
  size: 100,
}
const image = { image: blob, alt: 'Alt', aspectRatio: { width: 1, height: 1 } }
const images = { $type: 'app.bsky.embed.images', images: [image] }
const external = { uri: 'https://example.com', title: 'Title', description: 'Text', thumb: blob }
const selfLabels = { $type: 'com.atproto.label.defs#selfLabels', values: [{ val: 'nudity' }] }
const messageMe = { messageMeUrl: 'https://germ.example', showButtonTo: 'everyone' }
const createdAt = '2029-12-31T00:00:00.000Z'

/** Valid records that refer to an account here, with what they may contain. */
function templates(): readonly (readonly [collection: string, record: object, rkey?: string])[] {
  const record = { $type: 'app.bsky.embed.record', record: post }
  const mention = { $type: 'app.bsky.richtext.facet#mention', did: alice.did }
  const facets = [{ index: { byteStart: 0, byteEnd: 2 }, features: [mention] }]
  const text = { text: 'Text', langs: ['en'], tags: ['tag'], facets, labels: selfLabels, createdAt }
  const reply = { root: post, parent: post }
  return [
    ['app.bsky.feed.post', { ...text, reply, embed: images }],
    [
      'app.bsky.feed.post',
      { ...text, embed: { $type: 'app.bsky.embed.recordWithMedia', record, media: images } },
    ],
    ['app.bsky.feed.post', { ...text, reply, embed: { $type: 'app.bsky.embed.external', external } }],
    ['app.bsky.feed.post', { ...text, embed: { $type: 'app.bsky.embed.video', video: blob, alt: '' } }],
    ['app.bsky.feed.like', { subject: post, via: post, createdAt }],
    ['app.bsky.feed.repost', { subject: post, createdAt }],
    ['app.bsky.graph.follow', { subject: alice.did, createdAt }],
    ['app.bsky.graph.verification', { subject: alice.did, handle: alice.handle, displayName: '', createdAt }],
    [
      'app.bsky.actor.profile',
      {
        displayName: 'Name',
        description: '',
        avatar: blob,
        banner: blob,
        labels: selfLabels,
        pinnedPost: post,
        createdAt,
      },
      'self',
    ],
    [
      'app.bsky.actor.status',
      {
        status: 'app.bsky.actor.status#live',
        embed: { $type: 'app.bsky.embed.external', external },
        durationMinutes: 60,
        createdAt,
      },
      'self',
    ],
    ['app.bsky.notification.declaration', { allowSubscriptions: 'followers' }, 'self'],
    ['com.germnetwork.declaration', { version: '1.0.0', currentKey: new Uint8Array(33), messageMe }, 'self'],
  ]
}

const odd: Arbitrary<LexValue> = fc.oneof(
  fc.constantFrom<LexValue>(
    null,
    true,
    0,
    -1,
    Number.MAX_SAFE_INTEGER,
    '',
    '\u0000',
    '\ud83d',
    '..',
    'x'.repeat(5_000),
    '🧪'.repeat(400),
  ),
  fc.constantFrom<LexValue>(
    '2030-13-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    'yesterday',
  ),
  fc.constantFrom<LexValue>(
    'at://alice1.test/app.bsky.feed.post/1',
    'at://did:web:x',
    'did:web:x',
    'javascript:alert(1)',
    'app.bsky.feed.post',
  ),
  fc.constantFrom<LexValue>(
    [],
    {},
    [[[]]],
    [null, 1, ''],
    { $type: '' },
    { $type: 'app.bsky.embed.record' },
    new Uint8Array(3),
    parseCid(someCid),
  ),
  fc.constantFrom<LexValue>(
    JSON.parse('{"__proto__":{"x":1},"constructor":1,"toString":2}'),
    Array.from({ length: 300 }, () => 'a'),
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

/** A template with one to three members replaced, removed or added. */
const records = (): Arbitrary<readonly [string, LexMap, string?]> =>
  fc
    .tuple(fc.constantFrom(...templates()), fc.array(fc.tuple(fc.nat(), odd), { maxLength: 3 }))
    .map(([[collection, record, rkey], changes]) => {
      const changed = changes.reduce((value, [at, by]) => replaced(value, at, by), record as LexValue)
      return [collection, changed as LexMap, ...(rkey ? [rkey] : [])] as const
    }) as Arbitrary<readonly [string, LexMap, string?]>

/** Replaces one of all values within a value, which a number selects. */
function replaced(value: LexValue, at: number, by: LexValue): LexValue {
  const places: (readonly string[])[] = []
  const visit = (current: LexValue, path: readonly string[]) => {
    if (path.length > 0) places.push(path)
    if (
      typeof current !== 'object' ||
      current === null ||
      current instanceof Uint8Array ||
      'multihash' in current
    )
      return
    for (const [key, member] of Object.entries(current)) visit(member as LexValue, [...path, key])
  }
  visit(value, [])
  const put = (current: LexValue, [key = '', ...rest]: readonly string[]): LexValue => {
    const next = (member: LexValue) => (rest.length === 0 ? by : put(member, rest))
    if (Array.isArray(current))
      return current.map((item, index) => (String(index) === key ? next(item) : item))
    return { ...(current as LexMap), [key]: next((current as LexMap)[key] as LexValue) }
  }
  const place = places[at % Math.max(1, places.length)]
  return place ? put(value, place) : value
}

async function readAll(author: RemoteAuthor, written: readonly Ref[]): Promise<void> {
  const actor = alice.did
  await alice.getTimeline({ limit: 100 })
  const { data } = await alice.listNotifications({ limit: 100 })
  const uris = data.notifications.map(({ uri }) => uri)
  if (uris.length > 0) await alice.getPosts({ uris: uris.slice(0, 25) })
  await alice.getPostThread({ uri: post.uri })
  await alice.getLikes({ uri: post.uri })
  await alice.getRepostedBy({ uri: post.uri })
  await alice.app.bsky.feed.getQuotes({ uri: post.uri })
  await alice.app.bsky.feed.searchPosts({ q: 'text' })
  await alice.app.bsky.actor.searchActors({ q: 'name' })
  await alice.getFollowers({ actor })
  await alice.getFollows({ actor })
  await alice.getAuthorFeed({ actor: author.did, includePins: true })
  const isPost = ({ uri }: Ref) => uri.includes('.post/')
  for (const { uri } of written.filter(isPost).slice(0, 3)) {
    await alice
      .getPostThread({ uri })
      .catch((error: { error: string }) => expect(error.error).toBe('NotFound'))
  }
  const profile = await network.server.get('app.bsky.actor.getProfile', { actor: author.did })
  expect(profile.status).toBeLessThan(500)
}

test('records of any shape break no view', async () => {
  let total = 0
  await fc.assert(
    fc.asyncProperty(fc.array(records(), { minLength: 30, maxLength: 40 }), async (some) => {
      const author = new RemoteAuthor(network.server)
      await network.write(alice, 'app.bsky.graph.follow', { subject: author.did, createdAt: network.now })
      const written: Ref[] = []
      for (const [collection, record, rkey] of some) {
        const one = await author.write(collection, record, rkey === undefined ? {} : { rkey })
        total += one.applied.stored
        written.push(one)
      }
      await readAll(author, written)
    }),
    { seed, numRuns: Number(FUZZ_RUNS) },
  )
  expect(total).toBeGreaterThan(Number(FUZZ_RUNS) * 10)
})
