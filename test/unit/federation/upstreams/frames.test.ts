/** The part of an event that is read before its verification. */
import { encode } from '@atproto/lex-cbor'
import { parseCid } from '@atproto/lex-data'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Frame,
  InvalidFrame,
  readCommit,
  readFrame,
  readRevisions,
} from '../../../../server/federation/upstreams/upstream-frames.ts'
import { someCid } from '../../../support/server/social.ts'

type Payload = Parameters<typeof encode>[0]

const frame = (header: Payload, payload: Payload) => Buffer.concat([encode(header), encode(payload)])
const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const time = '2030-01-01T00:00:00.000Z'
const path = 'app.bsky.feed.like/3kaaaaaaaaaa2'
const blocks = new Uint8Array([1, 2, 3])
const commit = {
  seq: 2 ** 40,
  time,
  repo: did,
  rev: '3kaaaaaaaaaa2',
  ops: [{ action: 'create', path, cid: parseCid(someCid) }],
  blocks,
  blobs: [],
  since: null,
  tooBig: false,
  rebase: false,
  prevData: parseCid(someCid),
  fromLater: { versions: [1, -1, true, { deep: [['x']] }] },
}

test('a commit is read without its blocks being decoded', () => {
  const read = readFrame(frame({ op: 1, t: '#commit' }, commit)) as Frame
  expect(read).toMatchObject({ kind: 'commit', seq: 2 ** 40, did, time })
  expect([...read.blocks]).toEqual([...blocks])
  expect(readCommit(read)).toEqual({
    ops: [{ action: 'create', path, cid: parseCid(someCid) }],
    isTooBig: false,
  })
})

test('messages of every kind are recognized', () => {
  expect(readFrame(frame({ t: '#identity', op: 1 }, { seq: 1, time, did }))).toMatchObject({
    kind: 'identity',
    seq: 1,
    did,
  })
  expect(readFrame(frame({ op: 1, t: '#info' }, { name: 'OutdatedCursor' }))).toEqual({
    kind: 'info',
    name: 'OutdatedCursor',
  })
  expect(readFrame(frame({ op: -1 }, { error: 'FutureCursor' }))).toEqual({
    kind: 'error',
    name: 'FutureCursor',
  })
  expect(readFrame(frame({ op: 1, t: '#fromLater' }, { seq: 7, did: 1 }))).toEqual({ kind: 'other', seq: 7 })
})

test.each<[string, Buffer]>([
  ['nothing', Buffer.alloc(0)],
  ['a commit without a number', frame({ op: 1, t: '#commit' }, { repo: did })],
  ['a commit without a repository', frame({ op: 1, t: '#commit' }, { seq: 1 })],
  ['a payload that is no map', frame({ op: 1, t: '#commit' }, [1])],
  ['an indefinite length', Buffer.from([0xbf, 0xff])],
  ['a map of 2^32 entries', Buffer.from([0xba, 0xff, 0xff, 0xff, 0xff])],
  [
    'a number beyond 2^53',
    Buffer.concat([encode({ op: 1, t: '#x' }), Buffer.from('a1637365711bffffffffffffffff', 'hex')]),
  ],
])('%s is refused', (_, bytes) => {
  expect(() => readFrame(bytes)).toThrow(InvalidFrame)
})

test('arbitrary bytes and damaged events are read or refused, in a time that their length limits', () => {
  const whole = frame({ op: 1, t: '#commit' }, commit)
  const damaged = fc
    .tuple(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length))
    .map(([at, value, length]) => {
      const copy = Buffer.from(whole)
      copy[at] = value
      return copy.subarray(0, Math.max(length, 1))
    })
  const arbitrary = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))
  fc.assert(
    fc.property(fc.oneof(damaged, arbitrary), (bytes) => {
      try {
        const read = readFrame(bytes)
        if (read.kind === 'commit') readCommit(read)
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidFrame)
      }
    }),
    { numRuns: 2000 },
  )
  // Nested arrays: no recursion, and not more of them than a message may have.
  const nested = Buffer.concat([Buffer.from('a16178', 'hex'), Buffer.alloc(40_000, 0x81), Buffer.from([0])])
  expect(readFrame(Buffer.concat([encode({ op: 1, t: '#x' }), nested]))).toEqual({
    kind: 'other',
    seq: undefined,
  })
})

/** An array of a length, of which each item takes one byte. */
function zeros(length: number): Buffer {
  const bytes = Buffer.alloc(5 + length)
  bytes[0] = 0x9a
  bytes.writeUInt32BE(length, 1)
  return bytes
}

test.each<[string, Buffer]>([
  [
    'a commit of a million parts',
    Buffer.concat([
      frame({ op: 1, t: '#commit' }, {}).subarray(0, -1),
      Buffer.from([0xa1]),
      encode('x'),
      zeros(1_000_000),
    ]),
  ],
  [
    'an event of a later kind of a million parts',
    Buffer.concat([encode({ op: 1, t: '#fromLater' }), Buffer.from([0xa1]), encode('x'), zeros(1_000_000)]),
  ],
  [
    'a notice of a million parts',
    Buffer.concat([encode({ op: 1, t: '#info' }), Buffer.from([0xa1]), encode('x'), zeros(1_000_000)]),
  ],
  ['a header of a million parts', Buffer.concat([Buffer.from([0xa1]), encode('x'), zeros(1_000_000)])],
  [
    'a DID of a million characters',
    frame({ op: 1, t: '#commit' }, { ...commit, repo: `did:web:${'a'.repeat(1e6)}` }),
  ],
  ['a time of a million characters', frame({ op: 1, t: '#commit' }, { ...commit, time: '2'.repeat(1e6) })],
])('%s is refused before it is decoded', (_, bytes) => {
  expect(() => readFrame(bytes)).toThrow(InvalidFrame)
})

test('a path of a million slashes is refused, and a revision of a million characters is none', () => {
  const path = '/'.repeat(1e6)
  const ops = [{ action: 'create', path, cid: null }]
  const read = (payload: Payload) => readFrame(frame({ op: 1, t: '#commit' }, payload)) as Frame
  expect(() => readCommit(read({ ...commit, ops }))).toThrow(InvalidFrame)
  expect(readRevisions(read({ ...commit, rev: '3'.repeat(1e6) }))).toEqual({
    rev: undefined,
    since: undefined,
  })
  expect(readRevisions(read(commit))).toEqual({ rev: commit.rev, since: undefined })
})
