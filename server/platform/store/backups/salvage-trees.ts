/**
 * Finds the intact parts of the trees of a database with damaged pages: see "B-tree Pages" of https://sqlite.org/fileformat2.html.
 * A part of a tree is a tree, too: SQLite reads it when the schema names its first page as the root.
 */
import { StoreDamaged } from '../errors.ts'
import { freePages } from '../pages/free-pages.ts'
import { pageBytes } from '../pages/page-file.ts'
import type { PageOverlay } from '../pages/page-overlay.ts'

/** By rowid, with the rows in its leaves; or by keys, with rows in all of its pages. */
export type TreeKind = 'rowid' | 'keys'

export interface Tree {
  readonly root: number
  readonly kind: TreeKind
}

const [interiorKeys, interiorRowid, leafKeys, leafRowid] = [2, 5, 10, 13]
const interiorHead = 12
const leafHead = 8

/** A page of a tree. */
interface Node {
  readonly kind: TreeKind
  /** Pages below it, in order; none for a leaf. */
  readonly children: readonly number[]
}

/**
 * Returns the first pages of the intact parts of each tree, all but its overflow pages. The pages between a damaged one and the root are
 * changed in the overlay: their own rows stay, without the pages below them.
 * @param trees all of the database
 */
export function intactParts(overlay: PageOverlay, trees: readonly Tree[]): Map<Tree, number[]> {
  const parts = new Map<Tree, number[]>(trees.map((tree) => [tree, []]))
  const reached = new Set<number>()
  /** Trees that may have lost the way to intact pages. */
  const cut = new Set<Tree>()

  /** Collects the parts below a page. Returns whether all of them are intact. */
  function walk(tree: Tree, number: number, isLeaf: boolean): boolean {
    const node = nodeAt(overlay, number)
    if (reached.has(number) || node?.kind !== tree.kind) {
      if (!isLeaf) cut.add(tree)
      return false
    }
    reached.add(number)
    const areLeaves = node.children.some((child) => nodeAt(overlay, child)?.children.length === 0)
    const intact = node.children.filter((child) => walk(tree, child, areLeaves))
    if (intact.length === node.children.length) return true
    parts.get(tree)?.push(...intact)
    if (tree.kind === 'keys') {
      overlay.set(asLeaf(overlay.page(number)), (number - 1) * pageBytes)
      parts.get(tree)?.push(number)
    }
    return false
  }

  for (const tree of trees) if (walk(tree, tree.root, false)) parts.get(tree)?.push(tree.root)
  // The pages that no tree reaches belong to the tree that lost the way to them, if there is only one.
  for (const kind of ['rowid', 'keys'] as const) {
    const [tree, ...others] = [...cut].filter((each) => each.kind === kind)
    if (!tree || others.length > 0) continue
    for (const top of unreached(overlay, kind, reached)) if (walk(tree, top, true)) parts.get(tree)?.push(top)
  }
  return parts
}

/** Returns the pages of trees that are not reached, and have no page above them. */
function unreached(overlay: PageOverlay, kind: TreeKind, reached: ReadonlySet<number>): Set<number> {
  const { pageCount } = overlay
  const free = freePages((number) => overlay.page(number))
  const tops = new Set<number>()
  const below = new Set<number>()
  for (let number = 2; number <= pageCount; number++) {
    if (reached.has(number) || free.has(number)) continue
    const node = nodeAt(overlay, number)
    if (node?.kind !== kind) continue
    tops.add(number)
    for (const child of node.children) below.add(child)
  }
  for (const number of below) tops.delete(number)
  return tops
}

/** Reads a page of a tree; undefined for a damaged page, and for one of no tree. */
function nodeAt(overlay: PageOverlay, number: number): Node | undefined {
  const page = readPage(overlay, number)
  const head = number === 1 ? 100 : 0
  const type = page?.[head]
  if (!page || type === undefined) return undefined
  if (type === leafRowid || type === leafKeys)
    return { kind: type === leafRowid ? 'rowid' : 'keys', children: [] }
  if (type !== interiorRowid && type !== interiorKeys) return undefined
  const children = cellsOf(page, head, interiorHead).map((at) => page.readUInt32BE(at))
  return {
    kind: type === interiorRowid ? 'rowid' : 'keys',
    children: [...children, page.readUInt32BE(head + 8)],
  }
}

/** Returns the offsets of the cells of a page. */
function cellsOf(page: Buffer, head: number, headBytes: number): number[] {
  const count = page.readUInt16BE(head + 3)
  return Array.from({ length: count }, (_, cell) => page.readUInt16BE(head + headBytes + 2 * cell))
}

/** Returns an interior page as a leaf with the same rows: a row of a leaf has no number of a page before it. */
function asLeaf(content: Uint8Array): Uint8Array {
  const page = Buffer.from(content)
  const cells = cellsOf(page, 0, interiorHead)
  page[0] = leafKeys ?? 0
  for (const [at, cell] of cells.entries()) page.writeUInt16BE(cell + 4, leafHead + 2 * at)
  return page
}

function readPage(overlay: PageOverlay, number: number): Buffer | undefined {
  try {
    const { buffer, byteOffset, length } = overlay.page(number)
    return Buffer.from(buffer, byteOffset, length)
  } catch (error) {
    if (error instanceof StoreDamaged) return undefined
    throw error
  }
}
