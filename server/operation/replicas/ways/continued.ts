/** Which states are continued by others. */
import type { Farthest } from './farthest.ts'
import type { Forest, Node } from './forest.ts'

/**
 * Returns whether a way of a timeline to transaction `seq` ends before another one of it, of one that it continues, or of one that continues it: its
 * objects may be newer all the same, such as the base of a clone that has written nothing, or those that were made with a clock ahead.
 * Partial bases continue nothing: pages are missing there.
 */
export function continuedOf(
  forest: Forest,
  farthest: ReadonlyMap<Node, Farthest>,
): (node: Node, seq: number) => boolean {
  const reachOf = (node: Node) => farthest.get(node)?.seq ?? 0
  const isContinuedUp = (node: Node, seq: number) => {
    for (const each of forest.up(node, seq - 1)) if (reachOf(each) > seq) return true
    return false
  }
  const isContinuedDown = (node: Node, seq: number) =>
    forest.reachesDown(node, seq, (each) => reachOf(each) > seq)
  /** Results for the longest ways. */
  const up = new Map<Node, boolean>()
  const down = new Map<Node, boolean>()
  for (const node of forest.ascending) {
    const { parent, limit, isCyclic } = node
    const seq = reachOf(node)
    if (isCyclic || (parent && limit >= seq && reachOf(parent) < seq)) up.set(node, isContinuedUp(node, seq))
    else
      up.set(node, parent !== undefined && limit >= seq && (reachOf(parent) > seq || up.get(parent) === true))
  }
  for (const node of forest.ascending.toReversed()) {
    const seq = reachOf(node)
    const children = node.children.filter(({ limit }) => limit >= seq)
    const isSimple = !node.isCyclic && children.every((each) => reachOf(each) >= seq)
    const test = (each: Node) => reachOf(each) > seq || down.get(each) === true
    down.set(node, isSimple ? children.some(test) : isContinuedDown(node, seq))
  }
  return (node, seq) => {
    const last = reachOf(node)
    if (last !== seq) return last > seq || isContinuedUp(node, seq) || isContinuedDown(node, seq)
    return up.get(node) === true || down.get(node) === true
  }
}
