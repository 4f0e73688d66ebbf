/**
 * Changes to the Merkle search tree of a repository, and the blocks that they add and remove.
 *
 * The shape of the tree does not depend on the order of insertions. So a changed key affects only the nodes whose key range
 * contains or borders it: the nodes around the changed keys, before and after, are the difference between the trees.
 */
import { encode } from '@atproto/lex-cbor'
import { type Cid, cidForCbor, parseCid } from '@atproto/lex-data'
import { BlockMap, MST, ReadableBlockstore } from '@atproto/repo'
import type { Reader } from '../store/database.ts'
import * as repos from '../store/tables/repos.ts'

export interface TreeChange {
  /** `collection/rkey` */
  readonly key: string
  /** CID of the record; undefined removes the key. */
  readonly cid: string | undefined
  /** CID of the record before; undefined adds the key. */
  readonly prev: string | undefined
}

export interface ChangedTree {
  readonly tree: MST
  readonly added: readonly repos.Block[]
  /** CIDs of nodes that are no longer part of the tree. */
  readonly removed: readonly string[]
  /** CIDs of the other nodes that border a changed key: with `added`, a reader can undo the changes. */
  readonly bordering: readonly string[]
}

/** Loads the tree of a repository; nodes are read lazily. */
export function loadTree(db: Reader, did: string, root: string): MST {
  return MST.load(new StoredBlocks(db, did), parseCid(root))
}

/** Returns the root of a tree without records. */
export async function emptyTree(): Promise<{ root: Cid; block: repos.Block }> {
  const bytes = encode({ e: [], l: null })
  const root = await cidForCbor(bytes)
  return { root, block: { cid: root.toString(), bytes } }
}

/** Applies changes to a tree. @param before its nodes must all be stored */
export async function changeTree(before: MST, changes: readonly TreeChange[]): Promise<ChangedTree> {
  let tree = before
  for (const { key, cid, prev } of changes) {
    if (cid === undefined) tree = await tree.delete(key)
    else if (prev === undefined) tree = await tree.add(key, parseCid(cid))
    else tree = await tree.update(key, parseCid(cid))
  }
  const keys = changes.map(({ key }) => key)
  const outdated = new Set<string>()
  for (const node of await nodesAround(before, keys)) outdated.add(node.pointer.toString())
  const added: repos.Block[] = []
  const bordering: string[] = []
  for (const node of await nodesAround(tree, keys)) {
    const bytes = node.outdatedPointer ? await seal(node) : undefined
    const cid = node.pointer.toString()
    if (!outdated.delete(cid) && bytes) added.push({ cid, bytes })
    else bordering.push(cid)
  }
  return { tree, added, removed: [...outdated], bordering }
}

/** Returns blocks of a repository, which must all be stored. */
export function readBlocks(db: Reader, did: string, cids: readonly string[]): repos.Block[] {
  return cids.map((cid) => {
    const bytes = repos.findBlock(db, did, cid)
    if (!bytes) throw new Error(`The repository ${did} has no block ${cid}`)
    return { cid, bytes }
  })
}

/** Returns the nodes whose range contains or borders one of the keys, lower nodes first. */
async function nodesAround(node: MST, keys: readonly string[], found: MST[] = []): Promise<MST[]> {
  const entries = await node.getEntries()
  for (const [at, entry] of entries.entries()) {
    if (!entry.isTree()) continue
    const [left, right] = [entries[at - 1], entries[at + 1]]
    const within = keys.filter(
      (key) => (!left?.isLeaf() || left.key <= key) && (!right?.isLeaf() || key <= right.key),
    )
    if (within.length > 0) await nodesAround(entry, within, found)
  }
  found.push(node)
  return found
}

/** Sets the CID of a changed node; its children must have theirs. */
async function seal(node: MST): Promise<Uint8Array> {
  const { cid, bytes } = await node.serialize()
  node.pointer = cid
  node.outdatedPointer = false
  return bytes
}

/** Blocks of a repository for the tree library. */
class StoredBlocks extends ReadableBlockstore {
  readonly #db: Reader
  readonly #did: string

  constructor(db: Reader, did: string) {
    super()
    this.#db = db
    this.#did = did
  }

  async getBytes(cid: Cid): Promise<Uint8Array | null> {
    return repos.findBlock(this.#db, this.#did, cid.toString()) ?? null
  }

  async has(cid: Cid): Promise<boolean> {
    return (await this.getBytes(cid)) !== null
  }

  async getBlocks(cids: Cid[]): Promise<{ blocks: BlockMap; missing: Cid[] }> {
    const blocks = new BlockMap()
    const missing: Cid[] = []
    for (const cid of cids) {
      const bytes = await this.getBytes(cid)
      if (bytes) blocks.set(cid, bytes)
      else missing.push(cid)
    }
    return { blocks, missing }
  }
}
