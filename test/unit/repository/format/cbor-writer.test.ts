/** Our encoding of messages and blocks, compared with that of the network's library. */
import { encode } from '@atproto/lex-cbor'
import { cidForCbor, parseCid } from '@atproto/lex-data'
import { expect, test } from 'vitest'
import { commitFrame } from '../../../../server/repository/events/frames.ts'
import { carFile } from '../../../../server/repository/format/car.ts'
import { CborWriter } from '../../../../server/repository/format/cbor-writer.ts'
import { signCommit } from '../../../../server/repository/records/commit.ts'

const [first, second, third] = (await Promise.all(
  [1, 2, 3].map(async (n) => (await cidForCbor(new Uint8Array([n]))).toString()),
)) as [string, string, string]
const did = 'did:web:example.com'
const at = new Date('2030-01-02T03:04:05.678Z')

const integers = [0, 23, 24, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER]

test.each(integers)('the integer %d', (value) => {
  expect(new CborWriter(16).integer(value).finish()).toEqual(encode(value))
})

test.each([0, 23, 24, 255, 256, 65_535, 65_536])('texts and bytes of the length %d', (length) => {
  const bytes = new Uint8Array(length).fill(97)
  const text = 'a'.repeat(length)
  expect(new CborWriter(length + 16).bytes(bytes).finish()).toEqual(encode(bytes))
  expect(new CborWriter(length + 16).ascii(text).finish()).toEqual(encode(text))
  expect(new CborWriter(length + 16).text(text).finish()).toEqual(encode(text))
})

test('a text of several bytes a character', () => {
  expect(new CborWriter(64).text('Grüße 🦋').finish()).toEqual(encode('Grüße 🦋'))
})

test.each([false, true])('a commit as an event, with one before it: %s', (hasParent) => {
  const ops = [
    { key: 'app.example.feed.post/a', cid: first, prev: undefined },
    { key: 'app.example.feed.post/b', cid: second, prev: first },
    { key: 'app.example.feed.post/c', cid: undefined, prev: third },
  ]
  const blocks = new Uint8Array(70_000).fill(7)
  const since = hasParent ? { rev: '3kabc', tree: third } : undefined
  const event = { did, commit: first, rev: '3kabd', since, ops, blocks }
  const expected = {
    seq: 70_000,
    time: at.toISOString(),
    repo: did,
    commit: parseCid(first),
    rev: '3kabd',
    since: hasParent ? '3kabc' : null,
    ...(hasParent && { prevData: parseCid(third) }),
    ops: [
      { action: 'create', path: 'app.example.feed.post/a', cid: parseCid(first) },
      { action: 'update', path: 'app.example.feed.post/b', cid: parseCid(second), prev: parseCid(first) },
      { action: 'delete', path: 'app.example.feed.post/c', cid: null, prev: parseCid(third) },
    ],
    blocks,
    blobs: [],
    rebase: false,
    tooBig: false,
  }
  const header = encode({ op: 1, t: '#commit' })
  expect(Buffer.from(commitFrame({ seq: 70_000, at }, event))).toEqual(
    Buffer.concat([header, encode(expected)]),
  )
})

test('a signed commit, and what is signed', () => {
  const unsigned = { did, version: 3, data: parseCid(first), rev: '3kabc', prev: null }
  const sig = new Uint8Array(64).fill(9)
  let signed: Uint8Array | undefined
  const { block } = signCommit({ did, rev: '3kabc', tree: first }, (data) => {
    signed = data
    return sig
  })
  expect(Buffer.from(signed ?? [])).toEqual(Buffer.from(encode(unsigned)))
  expect(Buffer.from(block.bytes)).toEqual(Buffer.from(encode({ ...unsigned, sig })))
})

test.each([undefined, first])('an archive with the root %s', (root) => {
  const header = encode({ version: 1, roots: root === undefined ? [] : [parseCid(root)] })
  expect(Buffer.from(carFile(root, []))).toEqual(Buffer.concat([Buffer.of(header.length), header]))
})

test('a CID of another length is refused', () => {
  expect(() => new CborWriter(100).link(new Uint8Array(34))).toThrow(TypeError)
})
