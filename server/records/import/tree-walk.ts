/**
 * Walks the tree of an archive, and verifies that it is the Merkle search tree of its keys (atproto repository specification): a
 * tree of other shape could not be changed by later writes.
 */
import { hash } from 'node:crypto'
import { encode } from '@atproto/lex-cbor'
import { type Cid, ifCid, isPlainObject, type LexMap } from '@atproto/lex-data'
import { isValidNsid, isValidRecordKey } from '@atproto/syntax'
import { type Archive, decodeMap } from './archive.ts'
import { InvalidArchive } from './invalid-archive.ts'

/** A block of the tree, or of a record. */
export interface TreeBlock {
  /** `collection/rkey` of a record; undefined for a node. */
  readonly key: string | undefined
  readonly cid: Uint8Array
  /** Valid until the next block. */
  readonly bytes: Buffer
}

/** A node: the subtree of smaller keys, then the keys in their order, each with the subtree that follows it. */
interface Node {
  readonly left: Cid | undefined
  readonly entries: readonly { readonly key: string; readonly record: Cid; readonly right: Cid | undefined }[]
}

const maxKeyLength = 1024
const damaged = (what: string) => new InvalidArchive(`The tree of the archive is damaged: ${what}`)

/**
 * Yields each node before what is in it, and the records in the order of their keys.
 * @throws InvalidArchive
 */
export function* walkTree(archive: Archive, root: Uint8Array): Generator<TreeBlock> {
  let lastKey = ''

  function* visit(cid: Uint8Array, layer: number | undefined): Generator<TreeBlock> {
    const found = archive.read(cid)
    if (!found) throw damaged('a node is missing')
    // Subtrees are read before the rest of the node.
    const bytes = Buffer.from(found)
    const { left, entries } = parseNode(bytes)
    yield { key: undefined, cid, bytes }
    const [first] = entries
    const own = layer ?? (first && layerOf(first.key)) ?? 0
    if (!first && (layer === undefined ? left : !left)) throw damaged('a node has no keys')
    if (left) yield* visit(left.bytes, below(own))
    for (const { key, record, right } of entries) {
      if (key <= lastKey) throw damaged('its keys are not in order')
      if (layerOf(key) !== own) throw damaged('a key is in the wrong layer')
      lastKey = key
      const content = archive.read(record.bytes)
      if (!content) throw new InvalidArchive(`The archive lacks the record ${key}`)
      yield { key, cid: record.bytes, bytes: content }
      if (right) yield* visit(right.bytes, below(own))
    }
  }

  yield* visit(root, undefined)
}

/** Layers are finite, so the tree is too. */
function below(layer: number): number {
  if (layer === 0) throw damaged('it is too deep')
  return layer - 1
}

/** Leading zeros of the hash of a key, in pairs of bits. */
function layerOf(key: string): number {
  const digest = hash('sha256', key, 'buffer')
  const zeros = digest.findIndex((byte) => byte !== 0)
  return zeros < 0 ? 4 * digest.length : 4 * zeros + ((Math.clz32(digest[zeros] ?? 0) - 24) >> 1)
}

function parseNode(bytes: Uint8Array): Node {
  const node = decodeMap(bytes)
  if (!node || !Array.isArray(node.e)) throw damaged('a node is malformed')
  let previous = ''
  const entries = node.e.map((value) => {
    const { p, k, v, t } = isPlainObject(value) ? (value as LexMap) : {}
    const record = ifCid(v)
    if (!record || !(k instanceof Uint8Array) || typeof p !== 'number') throw damaged('a node is malformed')
    const key = previous.slice(0, p) + Buffer.from(k).toString('latin1')
    if (commonPrefix(previous, key) !== p) throw damaged('a key is not compressed')
    checkKey(key)
    previous = key
    return { key, record, right: ifCid(t) ?? undefined }
  })
  const left = ifCid(node.l) ?? undefined
  // Only one encoding has this CID when a later write stores the node again.
  if (!Buffer.from(encode(toData({ left, entries }, node.e))).equals(bytes))
    throw damaged('a node is malformed')
  return { left, entries }
}

/** The data of a node. @param written the entries as they were read, for their compressed keys */
function toData({ left, entries }: Node, written: readonly unknown[]): LexMap {
  const e = entries.map(({ record, right }, at) => {
    const { p = 0, k = '' } = written[at] as LexMap
    return { p, k, v: record, t: right ?? null }
  })
  return { e, l: left ?? null }
}

function commonPrefix(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

function checkKey(key: string): void {
  const [collection, rkey, ...rest] = key.split('/')
  const isValid = rest.length === 0 && isValidNsid(collection) && isValidRecordKey(rkey)
  if (!isValid || key.length > maxKeyLength) {
    throw new InvalidArchive(`The archive has a key that is not valid: ${JSON.stringify(key.slice(0, 100))}`)
  }
}
