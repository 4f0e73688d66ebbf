/** Archives of repositories as CAR files, valid or not. Builds the Merkle search tree independently of the server's code. */
import { createHash } from 'node:crypto'
import { encode } from '@atproto/lex-cbor'
import { type Cid, decodeCid, type LexMap, type LexValue } from '@atproto/lex-data'

/** A record by its key, `collection/rkey`. */
export type ArchiveRecord = readonly [key: string, record: LexMap]

export interface Block {
  readonly cid: Cid
  readonly bytes: Uint8Array
}

export interface Archive {
  readonly did: string
  readonly records: readonly ArchiveRecord[]
  readonly rev?: string
  /** Members of the commit that differ. */
  readonly commit?: LexMap | undefined
  readonly sign?: (bytes: Uint8Array) => Uint8Array
}

export const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest()

export function blockOf(value: LexValue): Block {
  return blockOfBytes(encode(value))
}

export function blockOfBytes(bytes: Uint8Array, codec = 0x71): Block {
  return { cid: decodeCid(Buffer.concat([Buffer.of(1, codec, 0x12, 0x20), sha256(bytes)])), bytes }
}

/** The blocks of an archive: the commit first, then the tree, then the records. */
export function blocksOf({ did, records, rev = '3kaaaaaaaaa2a', commit, sign }: Archive): Block[] {
  const contents = records
    .map(([key, record]) => ({ key, layer: layerOf(key), ...blockOf(record) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  const nodes: Block[] = []
  const highest = contents.reduce((layer, leaf) => Math.max(layer, leaf.layer), 0)
  const tree = nodeOf(contents, highest, nodes)
  const unsigned = { did, version: 3, data: tree, rev, prev: null, ...commit }
  const sig = sign?.(encode(unsigned)) ?? new Uint8Array(64)
  return [blockOf({ ...unsigned, sig }), ...nodes, ...contents]
}

export function archiveOf(archive: Archive): Buffer {
  return carOf(blocksOf(archive))
}

/** @param root by default the first block */
export function carOf(blocks: readonly Block[], root: Cid | undefined = blocks[0]?.cid): Buffer {
  return Buffer.concat([
    headerOf({ version: 1, roots: root ? [root] : [] }),
    ...blocks.flatMap(({ cid, bytes }) => [varint(cid.bytes.length + bytes.length), cid.bytes, bytes]),
  ])
}

export function headerOf(header: LexMap): Buffer {
  const bytes = encode(header)
  return Buffer.concat([varint(bytes.length), bytes])
}

export function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) + 128)
  }
}

export interface Leaf {
  readonly key: string
  readonly layer: number
  readonly cid: Cid
}

/** Leading zeros of the hash of a key, in pairs of bits. */
export function layerOf(key: string): number {
  const hash = sha256(key)
  let bits = 0
  while (bits < 256 && (hash.readUInt8(bits >> 3) & (0x80 >> (bits & 7))) === 0) bits++
  return bits >> 1
}

/** Returns the CID of the node with some leaves, sorted, and adds the blocks of the tree. */
export function nodeOf(leaves: readonly Leaf[], layer: number, blocks: Block[]): Cid {
  const entries: LexMap[] = []
  let left: Cid | null = null
  let previous = ''
  let below: Leaf[] = []
  const closeBelow = () => {
    const subtree = below.length > 0 ? nodeOf(below, layer - 1, blocks) : null
    const last = entries.at(-1)
    if (last) last.t = subtree
    else left = subtree
    below = []
  }
  for (const leaf of leaves) {
    if (leaf.layer < layer) {
      below.push(leaf)
      continue
    }
    closeBelow()
    let p = 0
    while (p < previous.length && previous[p] === leaf.key[p]) p++
    entries.push({ p, k: Buffer.from(leaf.key.slice(p)), v: leaf.cid, t: null })
    previous = leaf.key
  }
  closeBelow()
  const block = blockOf({ l: left, e: entries })
  blocks.push(block)
  return block.cid
}
