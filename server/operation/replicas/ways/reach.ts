/** How far segments lead. An answer takes a binary search, however many segments overlap, and nothing is copied for it. */
import type { Segment } from '../catalog.ts'

/** A segment of a chain. Its transactions after `last` are of a branch that the chain does not follow. */
export interface Link extends Segment {
  readonly last: number
}

/** The segments that count for a timeline. */
export interface Path {
  /** Ascending by their first transaction. */
  readonly segments: readonly Segment[]
  /** The last transaction of each that counts. */
  readonly lasts: readonly number[]
}

/** The last state to which segments lead. */
export interface End {
  readonly seq: number
  /** When its last transaction was on disk. */
  readonly at: Date
  /** When the newest segment on the way was written, in milliseconds since 1970. */
  readonly latest: number
}

export interface Reach {
  /** Returns the fewest segments that continue transaction `seq`, by taking the farthest-reaching of overlapping ones. */
  linksFrom(seq: number): Link[]
  /** Returns where these segments end; undefined if none continues the transaction. */
  endFrom(seq: number): End | undefined
  /** Returns the first of these segments, and its last transaction that counts; undefined if none continues the transaction. */
  nextFrom(seq: number): { readonly segment: Segment; readonly last: number } | undefined
}

const none = -1

export function createReach({ segments, lasts }: Path): Reach {
  const lastOf = (index: number) => lasts[index] ?? 0
  const at = (index: number) => segments[index] as Segment
  /** For each segment: the one that reaches farthest, among it and earlier ones. */
  const farthest = new Int32Array(segments.length)
  for (let index = 1; index < farthest.length; index++) {
    const best = farthest[index - 1] ?? 0
    farthest[index] = lastOf(index) > lastOf(best) ? index : best
  }
  /** For segments whose ways were followed: the last one, and the time of the newest. */
  const ends = new Int32Array(segments.length).fill(none)
  const latest = new Float64Array(segments.length)

  function next(seq: number): number {
    let [low, high] = [0, segments.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (at(middle).from <= seq + 1) low = middle + 1
      else high = middle
    }
    const index = farthest[low - 1] ?? none
    return index !== none && lastOf(index) > seq ? index : none
  }

  function follow(seq: number, isKnown: (index: number) => boolean): number[] {
    const found: number[] = []
    for (let index = next(seq); index !== none && !isKnown(index); index = next(lastOf(index)))
      found.push(index)
    return found
  }

  return {
    linksFrom: (seq) => follow(seq, () => false).map((index) => ({ ...at(index), last: lastOf(index) })),
    endFrom(seq) {
      const first = next(seq)
      if (first === none) return undefined
      for (const index of follow(seq, (each) => ends[each] !== none).reverse()) {
        const following = next(lastOf(index))
        const time = at(index).at.getTime()
        ends[index] = following === none ? index : (ends[following] ?? index)
        latest[index] = following === none ? time : Math.max(time, latest[following] ?? time)
      }
      const end = ends[first] ?? first
      return { seq: lastOf(end), at: at(end).at, latest: latest[first] ?? 0 }
    },
    nextFrom(seq) {
      const index = next(seq)
      return index === none ? undefined : { segment: at(index), last: lastOf(index) }
    },
  }
}
