/** How far the bases and segments of timelines lead. Each timeline adds its own objects to the result of the one that it continues. */
import type { Base, Segment } from '../catalog.ts'
import type { Forest, Node } from './forest.ts'

/** The last base of a timeline, or of those that it continues, and the last transaction to which segments lead from there. */
export interface Farthest {
  readonly base: number
  readonly seq: number
}

/** Returns this for each timeline that has a base. A later base never leads less far than an earlier one. @param isCounted says which bases do */
export function farthestOf(forest: Forest, isCounted: (base: Base) => boolean): Map<Node, Farthest> {
  const found = new Map<Node, Farthest>()

  /** Returns the last base of a timeline up to a transaction. */
  const lastBase = (node: Node, upTo: number) =>
    node.bases.findLast((base) => base.seq <= upTo && isCounted(base))?.seq ?? none

  function baseOf(node: Node, earlier: Farthest | undefined): number {
    const own = lastBase(node, Number.POSITIVE_INFINITY)
    if (!node.isCyclic && (!earlier || earlier.base <= node.limit))
      return Math.max(own, earlier?.base ?? none)
    let base = own
    for (const each of forest.up(node)) {
      if (each.last <= base) break
      base = Math.max(base, lastBase(each, each.last))
    }
    return base
  }

  for (const node of forest.ascending) {
    const earlier = node.parent && found.get(node.parent)
    const base = baseOf(node, earlier)
    if (base === none) continue
    const isShared = !node.isCyclic && base === earlier?.base && base < node.limit
    const seq = isShared ? continued(node, earlier.seq) : fromBase(forest, node, base)
    found.set(node, { base, seq: seq ?? swept(forest, node, base) })
  }
  return found
}

const none = -1

function fromBase(forest: Forest, node: Node, base: number): number | undefined {
  const nodes = [...forest.up(node, base)].reverse()
  let seq: number | undefined = base
  for (const [at, each] of nodes.entries()) {
    seq = at === 0 ? extended(each.segments, seq) : continued(each, seq)
    if (seq === undefined) return undefined
  }
  return seq
}

/** Returns how far a timeline leads whose parent leads to `seq`; undefined if objects of both take turns. */
function continued(node: Node, seq: number): number | undefined {
  const start = Math.min(seq, node.limit)
  const end = extended(node.segments, start)
  return end > start && end < node.limit ? undefined : end
}

function extended(segments: readonly Segment[], seq: number): number {
  let end = seq
  for (const { from, to } of segments) {
    if (from > end + 1) break
    end = Math.max(end, to)
  }
  return end
}

/** Reads the segments of all timelines that it continues. */
function swept(forest: Forest, node: Node, base: number): number {
  const { segments, lasts } = forest.pathOf(node)
  let end = base
  for (const [at, { from }] of segments.entries()) {
    if (from > end + 1) break
    end = Math.max(end, lasts[at] ?? 0)
  }
  return end
}
