/** How far the segments of a timeline lead. Each question takes a binary search, however many segments overlap. */
import type { Link } from './catalog.ts'

/** The last state to which segments lead. */
export interface End {
  readonly seq: number
  /** When its last transaction was on disk. */
  readonly at: Date
  /** When the newest segment on the way was written, in milliseconds since 1970. */
  readonly latest: number
}

export interface Reach {
  /** Returns the fewest segments that continue transaction `seq`: of those that overlap, the one that reaches farthest. */
  linksFrom(seq: number): Link[]
  /** Returns where these segments end; undefined if none continues the transaction. */
  endFrom(seq: number): End | undefined
  /** Calls `visit` with each segment that continues one of the transactions, once. */
  visit(seqs: readonly number[], visit: (link: Link) => void): void
}

/** @param links ascending by their first transaction */
export function createReach(links: readonly Link[]): Reach {
  /** Of each segment and those before it, the one that reaches farthest. */
  const farthest: Link[] = []
  for (const link of links) {
    const best = farthest.at(-1)
    farthest.push(best && best.last >= link.last ? best : link)
  }
  const ends = new Map<Link, End>()

  function next(seq: number): Link | undefined {
    let [low, high] = [0, links.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((links[middle]?.from ?? 0) <= seq + 1) low = middle + 1
      else high = middle
    }
    const link = farthest[low - 1]
    return link && link.last > seq ? link : undefined
  }

  function linksUntil(seq: number, isKnown: (link: Link) => boolean): Link[] {
    const found: Link[] = []
    for (let link = next(seq); link && !isKnown(link); link = next(link.last)) found.push(link)
    return found
  }

  return {
    linksFrom: (seq) => linksUntil(seq, () => false),
    endFrom(seq) {
      for (const link of linksUntil(seq, (each) => ends.has(each)).reverse()) {
        const following = next(link.last)
        const end = following && ends.get(following)
        const at = link.at.getTime()
        ends.set(
          link,
          end ? { ...end, latest: Math.max(at, end.latest) } : { seq: link.last, at: link.at, latest: at },
        )
      }
      const first = next(seq)
      return first && ends.get(first)
    },
    visit(seqs, visit) {
      const visited = new Set<Link>()
      for (const seq of seqs) {
        for (const link of linksUntil(seq, (each) => visited.has(each))) {
          visited.add(link)
          visit(link)
        }
      }
    },
  }
}
