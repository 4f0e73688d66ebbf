/** The times of all states at a place. The ways of a timeline are followed from where they leave those of its parent. */
import type { Content, Segment } from '../catalog.ts'
import { createForest, type Forest, type Node } from './forest.ts'
import { createReach } from './reach.ts'

/** The states through which the ways of a timeline lead. */
interface States {
  /** Times up to this one are times of the parent. */
  readonly floor: number
  readonly parent: States | undefined
  /** The others, ascending: the transaction, and the first one from which a segment leads there, which is the lowest number for a base. */
  readonly own: readonly (readonly [seq: number, before: number])[]
}

/** How often each object may be read. Only forged objects need more; the times of all segments are returned then. */
const mostReads = 50

/** Returns the times of all states to which ways lead, in milliseconds since 1970. */
export function timesOf(content: Content): Set<number> {
  const forest = createForest(content)
  const rank = new Map(content.segments.map((segment, at) => [segment, at]))
  const inOrder = (a: Segment, b: Segment) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0)
  const used = new Set(forest.nodes)
  const times = new Set(content.bases.map(({ at }) => at.getTime()))
  const found = new Map<Node, States>()
  const origins = originsOf(forest, used)
  let readsLeft = mostReads * (content.timelines.length + content.bases.length + content.segments.length)
  for (const node of forest.ascending) {
    if (!used.has(node)) continue
    const { parent, limit } = origins.get(node) ?? {}
    const earlier = parent && found.get(parent)
    const floor = earlier && limit !== undefined ? floorOf(forest, node, limit) : Number.NEGATIVE_INFINITY
    const path = pathAbove(forest, node, floor, inOrder)
    const reach = createReach(path)
    const states = new Map(path.seqs.map((seq) => [seq, Number.NEGATIVE_INFINITY]))
    for (const [seq, before] of earlier ? statesBetween(earlier, floor, limit ?? floor) : [])
      if (before < floor) states.set(seq, Math.min(before, states.get(seq) ?? before))
    readsLeft -= path.segments.length + states.size
    if (readsLeft < 0) return new Set([...content.bases, ...content.segments].map(({ at }) => at.getTime()))
    for (const start of [...states.keys()]) {
      for (let seq = start; ; ) {
        const next = reach.nextFrom(seq)
        if (!next) break
        times.add(next.segment.at.getTime())
        const before = states.get(next.last)
        states.set(next.last, Math.min(before ?? seq, seq))
        if (before !== undefined) break
        seq = next.last
      }
    }
    found.set(node, { floor, parent: earlier, own: [...states].sort(([a], [b]) => a - b) })
  }
  return times
}

interface Origin {
  readonly parent: Node
  readonly limit: number
}

/** Returns what each timeline continues that has objects, and up to where; none for timelines that continue themselves. */
function originsOf({ ascending }: Forest, used: ReadonlySet<Node>): Map<Node, Origin> {
  const origins = new Map<Node, Origin>()
  for (const node of ascending) {
    const { parent, limit, isCyclic } = node
    if (!parent || isCyclic) continue
    if (used.has(parent)) origins.set(node, { parent, limit })
    else {
      const origin = origins.get(parent)
      if (origin) origins.set(node, { parent: origin.parent, limit: Math.min(limit, origin.limit) })
    }
  }
  return origins
}

/** Returns the first transaction after which a way of a timeline can differ from those of its parent. */
function floorOf(forest: Forest, node: Node, limit: number): number {
  let floor = limit
  const lower = (seq: number | undefined) => {
    if (seq !== undefined && seq < floor) floor = seq
  }
  lower(node.bases[0]?.seq)
  lower(node.segments[0] && node.segments[0].from - 1)
  for (const each of forest.up(node, limit - 1)) {
    if (each === node) continue
    // The first of all that reach the end of the parent is taken.
    const last = each.segments.find(({ from, to }) => from <= limit && to >= limit)
    lower(last && last.from - 1)
  }
  return floor
}

/** Returns the segments that lead beyond `floor`, of a timeline and of those that it continues, and the bases that are no states of its parent. */
function pathAbove(
  forest: Forest,
  node: Node,
  floor: number,
  inOrder: (a: Segment, b: Segment) => number,
): { segments: Segment[]; lasts: number[]; seqs: number[] } {
  const seqs: number[] = []
  const lastOf = new Map<Segment, number>()
  for (const each of forest.up(node, floor)) {
    const { last } = each
    // Other bases are states of the parent.
    if (each === node || floor === Number.NEGATIVE_INFINITY)
      for (const { seq } of each.bases) if (seq <= last) seqs.push(seq)
    for (const segment of each.segments) {
      const end = Math.min(segment.to, last)
      if (end > floor && segment.from <= end) lastOf.set(segment, end)
    }
  }
  const segments = [...lastOf.keys()].sort(inOrder)
  return { segments, lasts: segments.map((segment) => lastOf.get(segment) ?? 0), seqs }
}

/** Yields states from `floor` to `end`. */
function* statesBetween(states: States, floor: number, end: number) {
  let below = end + 1
  for (let next: States | undefined = states; next; next = next.parent) {
    for (let at = next.own.length - 1; at >= 0; at--) {
      const state = next.own[at]
      if (!state || state[0] < floor) break
      if (state[0] < below) yield state
    }
    below = Math.min(below, next.floor)
    if (below <= floor) return
  }
}
