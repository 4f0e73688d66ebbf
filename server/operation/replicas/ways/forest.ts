/**
 * The timelines of a place as trees: each with its parent and its children. A place has at most as many as objects, and anyone who writes
 * there may have chosen their names: this file keeps a few values for each of them.
 */
import { type Base, type Content, generationOf, type Segment, type Timeline } from '../catalog.ts'
import type { Path } from './reach.ts'

export interface Node {
  readonly timeline: Timeline
  /** What it continues, up to transaction `limit`; undefined if that is not listed. */
  parent: Node | undefined
  readonly limit: number
  readonly children: Node[]
  /** Ascending, as in the content. */
  readonly bases: Base[]
  readonly segments: Segment[]
  /** Whether it continues itself, through others: its parent may come after it in a list. */
  isCyclic: boolean
  /** The call of `follow` that has met it last, and the last of its transactions that counts for that. */
  metBy: number
  last: number
}

export interface Forest {
  /** The timelines that have objects, as listed, then those whose own object is missing. */
  readonly nodes: readonly Node[]
  /** All timelines, parents first. */
  readonly ascending: readonly Node[]
  /** Yields a timeline and those that it continues, with the last transaction that counts in `last`, down to the last that reaches beyond `seq`. */
  up(node: Node, beyond?: number): Generator<Node>
  /** Whether one of the timelines that continue a timeline after transaction `seq` or a later one passes a test. */
  reachesDown(node: Node, seq: number, test: (node: Node) => boolean): boolean
  /** Returns the bases and segments that count for a timeline. */
  pathOf(node: Node): Path & { readonly bases: readonly Base[] }
}

type Objects = Pick<Content, 'bases' | 'segments'>

/** @param counted the objects of the content that count */
export function createForest(content: Content, counted: Objects = content): Forest {
  const used = new Set([...content.bases, ...content.segments].map(({ timeline }) => timeline))
  const byName = new Map<string, Node>()
  const add = (timeline: Timeline) => {
    const limit = timeline.parent?.seq ?? Number.NEGATIVE_INFINITY
    const lists = { children: [], bases: [], segments: [] }
    const node = { timeline, parent: undefined, limit, ...lists, isCyclic: false, metBy: 0, last: 0 }
    byName.set(timeline.name, node)
  }
  for (const each of content.timelines) if (!byName.has(each.name)) add(each)
  for (const name of used)
    if (!byName.has(name)) add({ name, generation: generationOf(name), parent: undefined })
  for (const node of byName.values()) {
    const { name } = node.timeline.parent ?? {}
    const parent = name === undefined ? undefined : byName.get(name)
    if (!parent || parent === node) continue
    node.parent = parent
    parent.children.push(node)
  }
  const nodeOf = ({ timeline }: { readonly timeline: string }) => byName.get(timeline) as Node
  const ownersOfBases = counted.bases.map(nodeOf)
  const ownersOfSegments = counted.segments.map(nodeOf)
  for (const base of counted.bases) nodeOf(base).bases.push(base)
  for (const segment of counted.segments) nodeOf(segment).segments.push(segment)
  let calls = 0

  function* up(node: Node, beyond = Number.NEGATIVE_INFINITY): Generator<Node> {
    const call = ++calls
    let last = Number.POSITIVE_INFINITY
    for (
      let next: Node | undefined = node;
      next && next.metBy !== call && last > beyond;
      next = next.parent
    ) {
      next.metBy = call
      next.last = last
      yield next
      last = Math.min(last, next.limit)
    }
  }

  return {
    nodes: [...byName.values()].filter(({ timeline }) => used.has(timeline.name)),
    ascending: ascendingOf([...byName.values()]),
    up,
    reachesDown(node, seq, test) {
      const call = ++calls
      node.metBy = call
      const open = [node]
      for (let each = open.pop(); each; each = open.pop()) {
        for (const child of each.children) {
          if (child.limit < seq || child.metBy === call) continue
          if (test(child)) return true
          child.metBy = call
          open.push(child)
        }
      }
      return false
    },
    pathOf(node) {
      for (const _ of up(node));
      const call = calls
      const segments: Segment[] = []
      const lasts: number[] = []
      for (let at = 0; at < ownersOfSegments.length; at++) {
        const owner = ownersOfSegments[at]
        const segment = counted.segments[at]
        if (owner?.metBy !== call || !segment) continue
        const last = Math.min(segment.to, owner.last)
        if (segment.from > last) continue
        segments.push(segment)
        lasts.push(last)
      }
      const bases = counted.bases.filter(({ seq }, at) => {
        const owner = ownersOfBases[at]
        return owner?.metBy === call && seq <= owner.last
      })
      return { segments, lasts, bases }
    },
  }
}

/** The most timelines of which each continues the next one, and the last one the first: such names are forged. In a longer circle one counts as if it began with a base. */
const longestCircle = 100

/** @param nodes each continues the next one, and the last one the first */
function closeCircle(nodes: readonly Node[]): void {
  if (nodes.length <= longestCircle) {
    for (const each of nodes) each.isCyclic = true
    return
  }
  const [last, first] = [nodes.at(-1), nodes[0]]
  if (!last || !first) return
  last.parent = undefined
  first.children.splice(first.children.indexOf(last), 1)
}

function ascendingOf(nodes: readonly Node[]): Node[] {
  const ascending: Node[] = []
  const done = new Set<Node>()
  for (const node of nodes) {
    const way: Node[] = []
    const onWay = new Set<Node>()
    let next: Node | undefined = node
    for (; next && !done.has(next) && !onWay.has(next); next = next.parent) {
      way.push(next)
      onWay.add(next)
    }
    if (next && onWay.has(next)) closeCircle(way.slice(way.indexOf(next)))
    for (const each of way.reverse()) {
      ascending.push(each)
      done.add(each)
    }
  }
  return ascending
}
