/** Proofs of records, which other servers, or attackers, made. */
import { decodeCid, type LexMap } from '@atproto/lex-data'
import { beforeAll, expect, test } from 'vitest'
import { verifyCommit } from '../../../../server/repository/format/verify-commit.ts'
import { createSigningKey, sign } from '../../../../server/util/keys.ts'
import {
  type Block,
  blockOf,
  blockOfBytes,
  blocksOf,
  carOf,
  headerOf,
} from '../../../support/records/archive.ts'

const did = 'did:web:carla.example'
const value = blockOf({ text: 'value' })
const keys = Array.from({ length: 200 }, (_, i) => `com.example.note/${String(i).padStart(3, '0')}`)
const records = keys.map((key) => [key, { text: key }] as const)

let signingKey: string
let signer: (bytes: Uint8Array) => Uint8Array
beforeAll(async () => {
  const key = await createSigningKey()
  signingKey = key.did
  signer = (bytes) => sign(key.privateKey, bytes)
})

const signedBlocks = (commit?: LexMap) =>
  blocksOf({ did, records: commit ? [] : records, commit, sign: signer })
const verify = (car: Uint8Array, expected = did) => verifyCommit(car, { did: expected, signingKey })

/** Reads a key from a signed commit to a tree of these nodes, the root first. */
async function readFrom(key: string, root: Block, ...others: Block[]) {
  const [commit = value] = signedBlocks({ data: root.cid })
  return (await verify(carOf([commit, root, ...others, value]))).record(key)
}
const entry = (key: string, right: Block | null = null, p = 0): LexMap => ({
  k: Buffer.from(key.slice(p)),
  p,
  t: right?.cid ?? null,
  v: value.cid,
})
const node = (entries: LexMap[], left: Block | null = null) => blockOf({ e: entries, l: left?.cid ?? null })

test('each record of a repository is found, and other keys are proven to be absent', async () => {
  const commit = await verify(carOf(signedBlocks()))
  for (const [key, record] of records) {
    const { cid, bytes } = blockOf(record)
    expect(commit.record(key)).toEqual({ cid: cid.toString(), bytes: Buffer.from(bytes) })
    expect(commit.record(`${key}-`)).toBeUndefined()
  }
  expect(commit.record('a')).toBeUndefined()
  expect(commit.record('~')).toBeUndefined()
})

test('a repository without records proves that a key is absent', async () => {
  const commit = await verify(carOf(blocksOf({ did, records: [], sign: signer })))
  expect(commit.record(keys[0] as string)).toBeUndefined()
})

test('only the blocks on the way to a key are needed', async () => {
  const blocks = signedBlocks()
  const [key] = records[0] as (typeof records)[0]
  const commit = await verify(
    carOf(blocks.filter(({ cid }) => !cid.equals(blockOf(records[150]?.[1] as LexMap).cid))),
  )
  expect(commit.record(key)).toBeDefined()
  expect(() => commit.record(keys[150] as string)).toThrow(/lacks the block/)
})

test('a block whose content is another one proves nothing', async () => {
  const [key, record] = records[0] as (typeof records)[0]
  const blocks = signedBlocks().map((block) =>
    block.cid.equals(blockOf(record).cid) ? { ...block, bytes: value.bytes } : block,
  )
  const commit = await verify(carOf(blocks))
  expect(() => commit.record(key)).toThrow(/is damaged/)
})

test('a node of more than 64 KiB proves nothing', async () => {
  const many = Array.from({ length: 600 }, (_, n) => entry(`com.example.note/${String(n).padStart(70, '0')}`))
  const [small, large] = [many.slice(0, 100), many]
  await expect(readFrom('com.example.note/~', node(small))).resolves.toBeUndefined()
  await expect(readFrom('com.example.note/~', node(large))).rejects.toThrow(/is too large/)
})

test('a commit, a header and a number of blocks that no repository has prove nothing', async () => {
  const padding = 'x'.repeat(20_000)
  const [commit = value, ...rest] = signedBlocks({ data: node([]).cid, padding })
  await expect(verify(carOf([commit, ...rest]))).rejects.toThrow(/is too large/)
  const blocks = signedBlocks()
  const header = headerOf({ version: 1, roots: [blocks[0]?.cid ?? value.cid], padding })
  const body = carOf(blocks).subarray(headerOf({ version: 1, roots: [blocks[0]?.cid ?? value.cid] }).length)
  await expect(verify(Buffer.concat([header, body]))).rejects.toThrow(/not a valid archive/)
  const more = (count: number) => carOf([...blocks, ...Array.from({ length: count }, () => value)])
  await expect(verify(more(15_000))).resolves.toMatchObject({ did })
  await expect(verify(more(20_000))).rejects.toThrow(/not a valid archive/)
})

test('the blocks of a file are read in slices, and those of a file with too many are not read', async () => {
  const more = (count: number) => carOf([...signedBlocks(), ...Array.from({ length: count }, () => value)])
  const [many, tooMany] = [more(15_000), more(25_000)]
  let turns = 0
  let next: NodeJS.Immediate
  const count = () => {
    turns++
    next = setImmediate(count)
  }
  next = setImmediate(count)
  await verify(many)
  expect(turns).toBeGreaterThanOrEqual(15)
  turns = 0
  await expect(verify(tooMany)).rejects.toThrow(/not a valid archive/)
  expect(turns).toBeLessThan(2)
  clearImmediate(next)
})

test('a commit of another repository, by another key or of another version proves nothing', async () => {
  await expect(verify(carOf(signedBlocks()), 'did:web:other.example')).rejects.toThrow(/instead of/)
  const { did: otherKey } = await createSigningKey()
  const byOther = verifyCommit(carOf(signedBlocks()), { did, signingKey: otherKey })
  await expect(byOther).rejects.toThrow(/not signed by its key/)
  await expect(verify(carOf(signedBlocks({ version: 2 })))).rejects.toThrow(/not a commit/)
})

test.each([
  ['is empty', () => Buffer.alloc(0)],
  ['is text', () => Buffer.from('no archive')],
  ['ends early', () => carOf(signedBlocks()).subarray(0, -1)],
  ['has no root', () => carOf([])],
  ['has a block without a CID', () => Buffer.concat([carOf(signedBlocks()), Buffer.of(1, 0)])],
])('a file that %s is not a proof', async (_, file) => {
  await expect(verify(file())).rejects.toThrow(/not a valid archive/)
})

test.each<[string, LexMap]>([
  ['without entries', { l: null }],
  ['with entries that are no list', { l: null, e: {} }],
  ['with an entry that is no map', { l: null, e: [1] }],
  ['with a key that is text', { l: null, e: [{ ...entry('a'), k: 'a' }] }],
  ['with an entry without a record', { l: null, e: [{ ...entry('a'), v: null }] }],
  ['with a link to another kind of hash', { l: decodeCid(Buffer.of(1, 0x55, 0, 1, 7)), e: [] }],
  ['with a negative prefix', { l: null, e: [entry('a'), { ...entry('b'), p: -1 }] }],
  ['with a key of 1,025 letters', { l: null, e: [entry('a'.repeat(1024)), { ...entry('b'), p: 1024 }] }],
])('a node %s is malformed', async (_, content) => {
  await expect(readFrom('a', blockOf(content))).rejects.toThrow(/malformed/)
})

test('a node that is not a map is malformed', async () => {
  await expect(readFrom('a', blockOfBytes(Buffer.of(0xff)))).rejects.toThrow(/malformed/)
})

test('a tree with more layers than hashes have is too deep', async () => {
  const nodes = [node([entry('b')])]
  for (let i = 0; i < 200; i++) nodes.unshift(node([entry('c')], nodes[0]))
  const [root = value, ...others] = nodes
  await expect(readFrom('a', root, ...others)).rejects.toThrow(/too deep/)
})
