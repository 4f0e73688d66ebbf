/**
 * Changes to the Merkle search tree of a repository (atproto repository specification, "MST structure"), and the blocks that they
 * add and remove. Trees are never changed: a change makes a new one, which shares the other nodes. Everything is synchronous, so
 * that a transaction can contain it.
 *
 * The shape of the tree does not depend on the order of insertions. So a changed key affects only the nodes whose key range
 * contains or borders it: the nodes around the changed keys, before and after, are the difference between the trees.
 */

import { cborCid, cidBytes, cidText } from '../../util/cid.ts'
import type { Block } from '../format/block.ts'
import { decodeNode, encodeNode, layerOf } from '../format/tree-node.ts'

export interface TreeChange {
  /** `collection/rkey` */
  readonly key: string
  /** CID of the record; undefined removes the key. */
  readonly cid: string | undefined
  /** CID of the record before; undefined adds the key. */
  readonly prev: string | undefined
}

export interface ChangedTree {
  readonly tree: TreeNode
  readonly added: readonly Block[]
  /** CIDs of nodes that are no longer part of the tree. */
  readonly removed: readonly string[]
  /** The other nodes that border a changed key: with `added`, a reader can undo the changes. */
  readonly bordering: readonly Block[]
}

/** Returns the block of a node that is stored. */
export type ReadNode = (cid: string) => Uint8Array

interface Leaf {
  readonly key: string
  /** CID as bytes. */
  readonly record: Uint8Array
}

type Item = Leaf | TreeNode

/** A node and its subtree. Stored nodes are read when they are needed. */
export class TreeNode {
  /** Leading zeros of the hashes of its keys. Lower nodes have one less. */
  readonly layer: number
  #items: readonly Item[] | undefined
  #cid: string | undefined
  #bytes: Uint8Array | undefined
  readonly #read: ReadNode | undefined

  private constructor(layer: number, items?: readonly Item[], cid?: string, read?: ReadNode) {
    this.layer = layer
    this.#items = items
    this.#cid = cid
    this.#read = read
  }

  static of(layer: number, items: readonly Item[]): TreeNode {
    return new TreeNode(layer, items)
  }

  /** A stored node. @param layer undefined for a root, which has a key unless the tree is empty */
  static stored(read: ReadNode, cid: string, layer?: number): TreeNode {
    if (layer !== undefined) return new TreeNode(layer, undefined, cid, read)
    const first = decodeNode(read(cid)).find(({ key }) => key !== undefined)
    return new TreeNode(first?.key === undefined ? 0 : layerOf(first.key), undefined, cid, read)
  }

  get items(): readonly Item[] {
    this.#items ??= decodeNode(this.bytes).map((entry) =>
      entry.key === undefined
        ? TreeNode.stored(this.#read as ReadNode, cidText(entry.node), this.layer - 1)
        : entry,
    )
    return this.#items
  }

  get bytes(): Uint8Array {
    this.#bytes ??= this.#read && this.#cid ? this.#read(this.#cid) : encodeNode(this.items.map(entryOf))
    return this.#bytes
  }

  get cid(): string {
    this.#cid ??= cborCid(this.bytes)
    return this.#cid
  }

  /** Whether it belongs to an unfinished change, so that its CID is still to be computed. */
  get isNew(): boolean {
    return this.#cid === undefined
  }
}

function entryOf(item: Item) {
  return item instanceof TreeNode ? { node: cidBytes(item.cid) } : item
}

/** The tree without records. */
export function emptyTree(): TreeNode {
  return TreeNode.of(0, [])
}

/** Applies changes to a tree. Reads the nodes on the way to each key, and those that a removed key separates. */
export function applyChanges(before: TreeNode, changes: readonly TreeChange[]): TreeNode {
  let tree = before
  for (const { key, cid } of changes) {
    tree = cid === undefined ? withoutKey(tree, key) : put(tree, { key, record: cidBytes(cid) }, layerOf(key))
  }
  return tree
}

/** Applies changes to a tree, with the blocks that they affect. @param before its nodes must all be stored */
export function changeTree(before: TreeNode, changes: readonly TreeChange[]): ChangedTree {
  const tree = applyChanges(before, changes)
  const keys = changes.map(({ key }) => key)
  const outdated = new Set<string>(nodesAround(before, keys).map(({ cid }) => cid))
  const added: Block[] = []
  const bordering: Block[] = []
  for (const node of nodesAround(tree, keys)) {
    const { isNew, cid, bytes } = node
    if (!outdated.delete(cid) && isNew) added.push({ cid, bytes })
    else bordering.push({ cid, bytes })
  }
  return { tree, added, removed: [...outdated], bordering }
}

/** Returns the nodes whose range contains or borders one of the keys, lower nodes first. */
function nodesAround(node: TreeNode, keys: readonly string[], found: TreeNode[] = []): TreeNode[] {
  const { items } = node
  for (const [at, item] of items.entries()) {
    if (!(item instanceof TreeNode)) continue
    const [left, right] = [items[at - 1], items[at + 1]]
    const within = keys.filter(
      (key) => (!isLeaf(left) || left.key <= key) && (!isLeaf(right) || key <= right.key),
    )
    if (within.length > 0) nodesAround(item, within, found)
  }
  found.push(node)
  return found
}

/** Adds a key, or replaces the record that it has. @param layer of the key */
function put(node: TreeNode, leaf: Leaf, layer: number): TreeNode {
  if (layer > node.layer) {
    const [left, right] = split(node, leaf.key)
    return TreeNode.of(
      layer,
      [lift(left, layer - 1), leaf, lift(right, layer - 1)].filter((item) => item !== undefined),
    )
  }
  const at = indexOf(node, leaf.key)
  const [before, found] = [node.items[at - 1], node.items[at]]
  if (layer < node.layer) {
    return before instanceof TreeNode
      ? replaced(node, at - 1, 1, put(before, leaf, layer))
      : replaced(node, at, 0, lift(TreeNode.of(layer, [leaf]), node.layer - 1))
  }
  if (isLeaf(found) && found.key === leaf.key) return replaced(node, at, 1, leaf)
  if (!(before instanceof TreeNode)) return replaced(node, at, 0, leaf)
  const [left, right] = split(before, leaf.key)
  return replaced(node, at - 1, 1, left, leaf, right)
}

/** Removes a key that the tree has. */
function withoutKey(tree: TreeNode, key: string): TreeNode {
  let root = remove(tree, key) ?? emptyTree()
  for (;;) {
    const [only, more] = root.items
    if (!(only instanceof TreeNode) || more) return root
    root = only
  }
}

/** Returns undefined if nothing remains. */
function remove(node: TreeNode, key: string): TreeNode | undefined {
  const at = indexOf(node, key)
  const [before, found, after] = [node.items[at - 1], node.items[at], node.items[at + 1]]
  let rest: TreeNode
  if (isLeaf(found) && found.key === key) {
    const areNodes = before instanceof TreeNode && after instanceof TreeNode
    rest = areNodes ? replaced(node, at - 1, 3, merge(before, after)) : replaced(node, at, 1)
  } else if (before instanceof TreeNode) {
    rest = replaced(node, at - 1, 1, remove(before, key))
  } else {
    throw new Error(`The tree has no key ${key}`)
  }
  return rest.items.length > 0 ? rest : undefined
}

/** Splits a node at a key that it does not have. */
function split(node: TreeNode, key: string): [TreeNode | undefined, TreeNode | undefined] {
  const at = indexOf(node, key)
  const [left, right] = [node.items.slice(0, at), node.items.slice(at)]
  const last = left.at(-1)
  if (last instanceof TreeNode) {
    const [before, after] = split(last, key)
    left.splice(-1, 1, ...(before ? [before] : []))
    if (after) right.unshift(after)
  }
  const nodeOf = (items: Item[]) => (items.length > 0 ? TreeNode.of(node.layer, items) : undefined)
  return [nodeOf(left), nodeOf(right)]
}

/** Merges two nodes of a layer: `split` undone. */
function merge(left: TreeNode, right: TreeNode): TreeNode {
  const [last, first] = [left.items.at(-1), right.items[0]]
  if (!(last instanceof TreeNode && first instanceof TreeNode)) {
    return TreeNode.of(left.layer, [...left.items, ...right.items])
  }
  return TreeNode.of(left.layer, [...left.items.slice(0, -1), merge(last, first), ...right.items.slice(1)])
}

/** Puts nodes above a node until it has the layer. */
function lift<Node extends TreeNode | undefined>(node: Node, layer: number): Node | TreeNode {
  return node && node.layer < layer ? lift(TreeNode.of(node.layer + 1, [node]), layer) : node
}

/** Returns a node with `count` items from `at` on replaced by others. */
function replaced(
  { layer, items }: TreeNode,
  at: number,
  count: number,
  ...by: (Item | undefined)[]
): TreeNode {
  return TreeNode.of(layer, items.toSpliced(at, count, ...by.filter((item) => item !== undefined)))
}

/** Returns the index of the first key that is not before `key`. */
function indexOf({ items }: TreeNode, key: string): number {
  const at = items.findIndex((item) => isLeaf(item) && item.key >= key)
  return at < 0 ? items.length : at
}

function isLeaf(item: Item | undefined): item is Leaf {
  return item !== undefined && !(item instanceof TreeNode)
}
