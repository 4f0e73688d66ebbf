/**
 * Walks the tree of an archive, and verifies that it is the Merkle search tree of its keys (atproto repository specification): a
 * tree of other shape could not be changed by later writes.
 */
import { encodeNode, layerOf, type NodeEntry, parseNode } from '../../format/tree-node.ts'
import type { Archive } from './archive.ts'
import { InvalidArchive } from './invalid-archive.ts'

/** A block of the tree, or of a record. */
export interface TreeBlock {
  /** `collection/rkey` of a record, whose parts may not be of valid syntax; undefined for a node. */
  readonly key: string | undefined
  readonly cid: Uint8Array
  /** Valid until the next block. */
  readonly bytes: Buffer
}

const damaged = (what: string) => new InvalidArchive(`The tree of the archive is damaged: ${what}`)

/**
 * Yields each node before its content, and the records in the order of their keys.
 * @throws InvalidArchive
 */
export function* walkTree(archive: Archive, root: Uint8Array): Generator<TreeBlock> {
  let lastKey = ''

  function* visit(cid: Uint8Array, layer: number | undefined): Generator<TreeBlock> {
    const found = archive.read(cid)
    if (!found) throw damaged('a node is missing')
    // Subtrees are read before the rest of the node.
    const bytes = Buffer.from(found)
    const entries = read(bytes)
    yield { key: undefined, cid, bytes }
    const first = entries.find(({ key }) => key !== undefined)
    const own = layer ?? (first?.key === undefined ? 0 : layerOf(first.key))
    // Only the root of an empty tree is empty, and a root has a key.
    if (!first && (layer === undefined) === entries.length > 0) throw damaged('a node has no keys')
    for (const entry of entries) {
      if (entry.key === undefined) {
        yield* visit(entry.node, below(own))
        continue
      }
      const { key, record } = entry
      checkKey(key)
      if (key <= lastKey) throw damaged('its keys are not in order')
      if (layerOf(key) !== own) throw damaged('a key is in the wrong layer')
      lastKey = key
      const content = archive.read(record)
      if (!content) throw new InvalidArchive(`The archive lacks the record ${key}`)
      yield { key, cid: record, bytes: content }
    }
  }

  yield* visit(root, undefined)
}

/** Layers are finite, so the tree is too. */
function below(layer: number): number {
  if (layer === 0) throw damaged('it is too deep')
  return layer - 1
}

/** Returns the content of a node. Only one encoding has this CID when a later write stores the node again. */
function read(bytes: Buffer): NodeEntry[] {
  const entries = parseNode(bytes)
  if (!entries || !bytes.equals(encodeNode(entries))) throw damaged('a node is malformed')
  return entries
}

/** Keys of older or looser syntax are permitted: visible ASCII with one slash. */
function checkKey(key: string): void {
  if (!/^[!-.0-~]+\/[!-.0-~]+$/.test(key)) {
    throw new InvalidArchive(`The archive has a key that is not valid: ${JSON.stringify(key.slice(0, 100))}`)
  }
}
