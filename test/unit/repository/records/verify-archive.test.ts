/** Verification of archives that other servers, or attackers, made. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LexMap } from '@atproto/lex-data'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyArchive } from '../../../../server/repository/records/import/verify.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { createSigningKey, sign } from '../../../../server/util/keys.ts'
import {
  type ArchiveRecord,
  archiveOf,
  type Block,
  blockOf,
  blockOfBytes,
  blocksOf,
  carOf,
  headerOf,
  layerOf,
  nodeOf,
  varint,
} from '../../../support/records/archive.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-test-'))
})
afterAll(() => rm(folder, { recursive: true }))

let files = 0
const did = 'did:web:carla.example'
const value = blockOf({ text: 'value' })
const note = (rkey: string): ArchiveRecord => [`com.example.note/${rkey}`, { text: rkey }]

/** Verifies an archive. @returns the result, and the staged file */
async function verify(content: Buffer, signingKey?: string) {
  const archive = join(folder, `${files++}.car`)
  const staged = `${archive}.staged`
  await writeFile(archive, content)
  const verified = await verifyArchive(nodeFiles, { archive, staged, did, signingKey })
  return { ...verified, staged: await readFile(staged) }
}

/** An archive whose blocks are changed. */
const changed = (change: (blocks: Block[]) => Block[]) => () =>
  carOf(change(blocksOf({ did, records: [note('one'), note('two'), note('three')] })))

/** An archive with a tree of these nodes, the root first. */
function withTree(root: Block, ...others: Block[]): Buffer {
  const [commit = value] = blocksOf({ did, records: [], commit: { data: root.cid } })
  return carOf([commit, root, ...others, value])
}

const ofRecord = (record: unknown) =>
  archiveOf({ did, records: [['com.example.note/one', record as LexMap]] })

const keysOf = (prefix: string, layer: number) =>
  Array.from({ length: 200 }, (_, i) => `com.example.note/${prefix}${i}`)
    .filter((key) => layerOf(key) === layer)
    .sort()
const [low1 = '', low2 = ''] = keysOf('a', 0)
const [lowest = ''] = keysOf('b', 0)
/** Sorts after `low1` and before `last`. */
const [high = ''] = keysOf('b', 1)
const [last = ''] = keysOf('c', 0)

/** The entry of a key, compressed by `p` letters. */
const entry = (key: string, p = 0, right: Block | null = null): LexMap => ({
  k: Buffer.from(key.slice(p)),
  p,
  t: right?.cid ?? null,
  v: value.cid,
})
const node = (entries: LexMap[], left: Block | null = null) => blockOf({ e: entries, l: left?.cid ?? null })
const common = (a: string, b: string) => [...a].findIndex((letter, at) => letter !== b[at])
const nested = (depth: number) => Array.from({ length: depth }).reduce<LexMap>((inner) => ({ inner }), {})

/** A tree of keys that all name one record. */
function sameUnder(keys: number, record: LexMap): Buffer {
  const same = blockOf(record)
  const leaves = Array.from({ length: keys }, (_, i) => `com.example.note/${String(i).padStart(6, '0')}`).map(
    (key) => ({ key, layer: layerOf(key), cid: same.cid }),
  )
  const nodes: Block[] = []
  const highest = Math.max(...leaves.map(({ layer }) => layer))
  const root = nodeOf(leaves, highest, nodes)
  const [commit = value] = blocksOf({ did, records: [], commit: { data: root } })
  return carOf([commit, ...nodes, same])
}

const tooBig = /block that is empty or has more than 1048576 bytes/
const noCar = /CAR file of version 1 with one root/
const badNode = /a node is malformed/

test.each<readonly [string, RegExp, () => Buffer]>([
  ['is empty', /incomplete/, () => Buffer.alloc(0)],
  [
    'is no CAR file',
    noCar,
    () =>
      Buffer.from(
        'This is not a CAR file, but a text that goes on for more than 84 bytes, whatever it says.',
      ),
  ],
  ['has a huge header', tooBig, () => Buffer.concat([varint(2 ** 27), Buffer.alloc(1000)])],
  [
    'has an endless varint',
    tooBig,
    () => Buffer.concat([headerOf({ version: 1, roots: [value.cid] }), Buffer.alloc(100, 0xff)]),
  ],
  [
    'has an empty block',
    tooBig,
    () => Buffer.concat([headerOf({ version: 1, roots: [value.cid] }), Buffer.alloc(100)]),
  ],
  ['has another version', noCar, () => headerOf({ version: 2, roots: [value.cid] })],
  ['has no root', noCar, () => headerOf({ version: 1, roots: [] })],
  ['has two roots', noCar, () => headerOf({ version: 1, roots: [value.cid, value.cid] })],
  ['has no block', /lacks its commit/, () => headerOf({ version: 1, roots: [value.cid] })],
  ['has a block of 2 MB', tooBig, changed((blocks) => [...blocks, blockOfBytes(Buffer.alloc(2_000_000))])],
  [
    'has a block of 100 MB',
    tooBig,
    () => Buffer.concat([headerOf({ version: 1, roots: [value.cid] }), varint(1e8), Buffer.alloc(100)]),
  ],
  [
    'has a block of another codec',
    /CID is not of a repository/,
    changed((blocks) => [...blocks, blockOfBytes(Buffer.from('x'), 0x70)]),
  ],
  ['is cut', /incomplete/, () => archiveOf({ did, records: [note('one')] }).subarray(0, -1)],
  [
    'has a block that does not match its CID',
    /does not match its CID/,
    changed((blocks) => [...blocks, { ...value, bytes: Buffer.from('x') }]),
  ],
  ['has a record in the place of the commit', /not a commit/, () => carOf([value])],
  [
    'has a commit of version 2',
    /not a commit of version 3/,
    () => archiveOf({ did, records: [], commit: { version: 2 } }),
  ],
  [
    'has a commit without a tree',
    /not a commit/,
    () => archiveOf({ did, records: [], commit: { data: null } }),
  ],
  [
    'has a commit of another account',
    /another account/,
    () => archiveOf({ did: 'did:web:other.example', records: [] }),
  ],
  ['has a malformed revision', /revision/, () => archiveOf({ did, records: [], rev: 'today' })],
  [
    'has a revision that none can follow',
    /revision/,
    () => archiveOf({ did, records: [], rev: 'jzzzzzzzzzzzz' }),
  ],
  [
    'lacks the tree',
    /a node is missing/,
    changed((blocks) => blocks.filter(({ cid }) => !cid.equals((blocks.at(-4) ?? value).cid))),
  ],
  ['lacks a record', /lacks the record com\.example\.note\/t/, changed((blocks) => blocks.slice(0, -1))],
  ['has a record that is no map', /record com\.example\.note\/one .* not valid/, () => ofRecord(['text'])],
  ['has a record that is too deep', /not valid/, () => ofRecord(nested(101))],
  ['has a record that is not CBOR', /not valid/, () => withBytes('ffff')],
  ['has a key without a collection', /not valid: "one"/, () => withTree(node([entry('one')]))],
  [
    'has a key of three parts',
    /key that is not valid/,
    () => withTree(node([entry('com.example.note/one/two')])),
  ],
  ['has a long key', badNode, () => withTree(node([entry(`com.example.note/${'a'.repeat(1024)}`)]))],
  [
    'has keys in the wrong order',
    /not in order/,
    () => withTree(node([entry(low2), entry(low1, common(low1, low2))])),
  ],
  ['has a key twice', /not in order/, () => withTree(node([entry(low1), entry(low1, low1.length)]))],
  [
    'has a key that is not compressed',
    /a node is malformed/,
    () => withTree(node([entry(low1), entry(low2)])),
  ],
  [
    'has a key in the wrong layer',
    /wrong layer/,
    () => withTree(node([entry(low1), entry(high, common(high, low1))])),
  ],
  [
    'has a subtree twice',
    /not in order/,
    () => withTree(node([entry(high, 0, node([entry(low1)]))], node([entry(low1)])), node([entry(low1)])),
  ],
  [
    'has larger keys in the left subtree',
    /not in order/,
    () => withTree(node([entry(high)], node([entry(last)])), node([entry(last)])),
  ],
  [
    'has a subtree of the wrong layer',
    /wrong layer/,
    () => withTree(node([entry(high)], node([entry(high)])), node([entry(high)])),
  ],
  ['has an empty subtree', /no keys/, () => withTree(node([entry(high)], node([])), node([]))],
  ['has a root without keys', /no keys/, () => withTree(node([], node([entry(low1)])), node([entry(low1)]))],
  [
    'has a subtree below the lowest layer',
    /too deep/,
    () => withTree(node([entry(low1, 0, node([entry(lowest)]))]), node([entry(lowest)])),
  ],
  ['has a long chain of nodes without keys', /too deep/, () => chain(300)],
  ['has a node with further members', badNode, () => withTree(blockOf({ e: [], l: null, x: 1 }))],
  [
    'has a node that is not encoded canonically',
    badNode,
    () => withTree(blockOfBytes(Buffer.from('a2616cf6616580', 'hex'))),
  ],
  ['has a node that is no map', badNode, () => withTree(blockOf([]))],
  ['has a node whose entries are no list', badNode, () => withTree(blockOf({ e: 1, l: null }))],
  [
    'has an entry without a record',
    badNode,
    () => withTree(blockOf({ e: [{ ...entry(low1), v: null }], l: null })),
  ],
  [
    'has an entry whose subtree is no link',
    badNode,
    () => withTree(blockOf({ e: [{ ...entry(low1), t: 1 }], l: null })),
  ],
])('an archive is refused if it %s', async (_, message, archive) => {
  await expect(verify(archive())).rejects.toMatchObject({
    name: 'InvalidArchive',
    message: expect.stringMatching(message),
  })
})

function withBytes(hex: string): Buffer {
  const record = blockOfBytes(Buffer.from(hex, 'hex'))
  return withTree(node([{ ...entry(low1), v: record.cid }]), record)
}

/** Nodes that contain one another, below a root with a key. */
function chain(length: number): Buffer {
  const nodes = [node([entry(low1)])]
  for (let i = 0; i < length; i++) nodes.unshift(node([], nodes[0]))
  return withTree(node([entry(high)], nodes[0]), ...nodes)
}

test('an archive with as many layers as keys need, in any order of blocks, is staged in the order of its keys', async () => {
  const records = Array.from({ length: 3000 }, (_, i) => note(`n${i}`))
  const blocks = blocksOf({ did, records })
  const [commit = value] = blocks
  const { rev, tree, staged } = await verify(carOf(blocks.toReversed(), commit.cid))
  expect({ rev, tree }).toEqual({ rev: '3kaaaaaaaaa2a', tree: blocks.at(-3001)?.cid.toString() })
  const positions = records
    .map(([key]) => key)
    .sort()
    .map((key) => staged.indexOf(`${key}\u0001\u0071\u0012\u0020`, 0, 'latin1'))
  expect(positions.every((position, at) => position > (positions[at - 1] ?? 0))).toBe(true)
})

test('an archive of a remote actor must be signed by the key, and its unreadable records are left out', async () => {
  const [key, otherKey] = [await createSigningKey(), await createSigningKey()]
  const records: ArchiveRecord[] = [
    note('one'),
    ['com.example.note/two', nested(101)],
    ['com.example.old_notes/two', {}],
  ]
  const signed = archiveOf({ did, records, sign: (bytes) => sign(key.privateKey, bytes) })
  const { staged } = await verify(signed, key.did)
  expect(staged.subarray(7, 27).toString()).toBe('com.example.note/one')
  expect(staged.includes('/two')).toBe(false)
  for (const [archive, signingKey] of [
    [signed, otherKey.did],
    [archiveOf({ did, records }), key.did],
  ] as const) {
    await expect(verify(archive, signingKey)).rejects.toMatchObject({
      name: 'InvalidArchive',
      message: expect.stringContaining('not signed by the key'),
    })
  }
})

test('a large record under many keys is refused, before it fills the disk', async () => {
  const verified = verify(sameUnder(100, { text: 'x'.repeat(1_000_000) })).then(() => 'accepted')
  await expect(verified).rejects.toThrow('names the same records under too many keys')
})

test('small records may be equal', async () => {
  const { staged } = await verify(sameUnder(2000, { text: 'x'.repeat(300) }))
  expect(staged.length).toBeGreaterThan(600_000)
})
