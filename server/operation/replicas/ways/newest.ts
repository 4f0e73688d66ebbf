/** The newest objects of timelines, before their ways are computed. */
import type { Forest, Node } from './forest.ts'

export interface Newest {
  /** Whether an object is of exactly the time that is looked for. */
  readonly isAt: boolean
  /** Time of the newest object, in milliseconds since 1970. */
  readonly latest: number
}

/** Whether a state is of exactly this time. */
export function isAt({ at }: { readonly at: Date }, time: Date | undefined): boolean {
  return at.getTime() === time?.getTime()
}

/** Timelines of which only the objects that count are compared; of all that they continue in turn, every object is. */
const nearTimelines = 100

/** Returns the time of the newest object for each timeline and those that it continues or a later one, and whether one is of exactly the time `until`. */
export function newestOf(forest: Forest, until: Date | undefined): (node: Node) => Newest {
  const found = new Map<Node, Newest>()
  const unknown = { latest: Number.POSITIVE_INFINITY, isAt: until !== undefined }
  for (const node of forest.ascending) {
    const { parent, bases, segments, isCyclic } = node
    let { latest, isAt: isThere } = (parent && found.get(parent)) ?? { latest: 0, isAt: false }
    for (const list of [bases, segments]) {
      for (const each of list) {
        latest = Math.max(latest, each.at.getTime())
        isThere ||= isAt(each, until)
      }
    }
    found.set(node, isCyclic ? unknown : { latest, isAt: isThere })
  }
  const timesUpTo = new Map<Node, TimesUpTo>()

  /** Returns the time of the newest object that counts. */
  function latestOf(node: Node): number {
    let latest = 0
    let left = nearTimelines
    for (const each of forest.up(node)) {
      if (left-- === 0) return Math.max(latest, found.get(each)?.latest ?? latest)
      const times = timesUpTo.get(each) ?? newestUpTo(each)
      timesUpTo.set(each, times)
      latest = Math.max(latest, times(each.last))
    }
    return latest
  }

  return (node) => ({ ...unknown, ...found.get(node), ...(!node.isCyclic && { latest: latestOf(node) }) })
}

type TimesUpTo = (last: number) => number

/** Returns a function for the time of the newest object of a timeline that has transactions up to one. */
function newestUpTo({ bases, segments }: Node): TimesUpTo {
  const lists = [bases.map(({ seq, at }) => ({ from: seq, at })), segments].map((objects) => {
    let latest = 0
    const times = objects.map(({ at }) => {
      latest = Math.max(latest, at.getTime())
      return latest
    })
    return { objects, times }
  })
  return (last) => {
    let latest = 0
    for (const { objects, times } of lists) {
      let [low, high] = [0, objects.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if ((objects[middle]?.from ?? 0) <= last) low = middle + 1
        else high = middle
      }
      latest = Math.max(latest, times[low - 1] ?? 0)
    }
    return latest
  }
}
