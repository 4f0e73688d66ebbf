/** The ways to the states of a server that a place has: each a base, and the segments that continue it on its timeline. */
import type { Base, Content, Segment, Timeline } from '../catalog.ts'
import { continuedOf } from './continued.ts'
import { farthestOf } from './farthest.ts'
import { createForest, type Forest, type Node } from './forest.ts'
import { inTime } from './in-time.ts'
import { merge } from './merge.ts'
import { isAt, type Newest, newestOf } from './newest.ts'
import { createReach, type Link, type Path } from './reach.ts'

/** A way to a state: a base and what continues it without a gap. */
export interface Chain {
  readonly timeline: Timeline
  readonly base: Base
  readonly segments: readonly Link[]
  /** Number of its last transaction. */
  readonly seq: number
  readonly at: Date
}

/** Returns the last transaction that counts of a timeline and of each that it continues, by their names. */
export function limitsOf(timelines: readonly Timeline[], timeline: Timeline): Map<string, number> {
  const byName = new Map(timelines.toReversed().map((each) => [each.name, each]))
  const limits = new Map([[timeline.name, Number.POSITIVE_INFINITY]])
  let limit = Number.POSITIVE_INFINITY
  for (let next = timeline.parent; next && !limits.has(next.name); ) {
    const { name, seq } = next
    limit = Math.min(limit, seq)
    limits.set(name, limit)
    next = byName.get(name)?.parent
  }
  return limits
}

type Objects = Pick<Content, 'timelines' | 'bases' | 'segments'>

/** Returns the bases and segments that count for a timeline, with the last transaction of each that does. */
export function onPath({ timelines, bases, segments }: Objects, timeline: Timeline) {
  const limits = limitsOf(timelines, timeline)
  const path = pathOf(segments, limits)
  return {
    bases: bases.filter((base) => counts(base, limits)),
    segments: path.segments.map((segment, at): Link => ({ ...segment, last: path.lasts[at] ?? 0 })),
  }
}

function counts({ seq, timeline }: Base, limits: ReadonlyMap<string, number>): boolean {
  return seq <= (limits.get(timeline) ?? -1)
}

function pathOf(segments: readonly Segment[], limits: ReadonlyMap<string, number>): Path {
  const own: Segment[] = []
  const lasts: number[] = []
  for (const segment of segments) {
    const last = Math.min(segment.to, limits.get(segment.timeline) ?? -1)
    if (segment.from > last) continue
    own.push(segment)
    lasts.push(last)
  }
  return { segments: own, lasts }
}

interface TimeLimit {
  /** Leaves out later states. */
  readonly until?: Date | undefined
}

/** Returns the longest chain of a timeline; undefined if there is no base. Of equal chains, the one that has less to replay. */
export function chainOf(content: Content, timeline: Timeline, { until }: TimeLimit = {}): Chain | undefined {
  const limits = limitsOf(content.timelines, timeline)
  const { bases, segments } = inTime(content, until)
  const path = { ...pathOf(segments, limits), bases: bases.filter((base) => counts(base, limits)) }
  return chainsOf(timeline, path).reduce<Chain | undefined>(
    (best, chain) => (best && best.seq > chain.seq ? best : chain),
    undefined,
  )
}

/** A chain with the time of its newest object: a continuation is never older than its chain, even if the clock was wrong in between. */
interface Dated extends Chain {
  /** In milliseconds since 1970. */
  readonly latest: number
}

/** Returns the longest chain from each base, ascending by the base. */
function chainsOf(
  timeline: Timeline,
  { bases, ...path }: Path & { readonly bases: readonly Base[] },
): Dated[] {
  const reach = createReach(path)
  return bases.map((base) => {
    const { seq, at, latest } = reach.endFrom(base.seq) ?? { ...base, latest: 0 }
    let links: readonly Link[] | undefined
    return {
      ...{ timeline, base, seq, at, latest: Math.max(latest, base.at.getTime()) },
      get segments() {
        links ??= reach.linksFrom(base.seq)
        return links
      },
    }
  })
}

/** The criteria by which ways are ordered. */
interface Rank extends Newest {
  readonly isPartial: boolean
  readonly generation: number
  readonly isContinued: boolean
  readonly seq: number
  readonly base: number
}

interface Ranked extends Rank {
  readonly way: Chain
}

const byRank = (a: Rank, b: Rank) =>
  Number(a.isPartial) - Number(b.isPartial) ||
  Number(b.isAt) - Number(a.isAt) ||
  b.generation - a.generation ||
  Number(a.isContinued) - Number(b.isContinued) ||
  b.latest - a.latest ||
  b.seq - a.seq ||
  b.base - a.base

/**
 * Yields ways to the states at a place, the newest state of the highest generation first, and partial bases last. All branches count. A timeline whose own
 * object is missing counts as one that begins with a base. The ways of a timeline are computed when one of them can be the next.
 * @param until leaves out later objects, see `inTime`; ways to a state of exactly this time, as it is listed, come first, whatever their generation
 */
export function* waysTo(content: Content, until?: Date): Generator<Chain> {
  const objects = inTime(content, until)
  const forest = createForest(content, objects)
  const farthest = farthestOf(forest, ({ isPartial }) => !isPartial)
  const isContinued = continuedOf(forest, farthest)
  const newest = newestOf(forest, until)
  const sources = forest.nodes.map((node) => {
    const { timeline } = node
    const { generation } = timeline
    const complete = farthest.get(node)
    const best = complete ?? { base: Number.POSITIVE_INFINITY, seq: Number.POSITIVE_INFINITY }
    const bound: Rank = {
      ...{ isPartial: complete === undefined, generation, ...newest(node) },
      ...{
        isContinued: complete !== undefined && isContinued(node, complete.seq),
        seq: best.seq,
        base: best.base,
      },
    }
    const rank = rankOf({ until, isContinued: (seq) => isContinued(node, seq) })
    const load = () => chainsOf(timeline, forest.pathOf(node)).map(rank).sort(byRank)
    return { bound, load }
  })
  for (const { way } of merge<Rank, Ranked>(sources, byRank)) yield way
}

/**
 * Returns the time of the last state of each timeline, if it is wanted: of the way that `waysTo` yields first, or of another one to the same state.
 * @param isWanted gets its last transaction
 */
export function lastTimes(content: Content, isWanted: (timeline: Timeline, seq: number) => boolean): Date[] {
  const forest = createForest(content)
  const farthest = farthestOf(forest, () => true)
  const rank = new Map(content.segments.map((segment, at) => [segment, at]))
  return forest.nodes.flatMap((node) => {
    const last = farthest.get(node)
    if (!last || !isWanted(node.timeline, last.seq)) return []
    // All ways that segments end have the state of the last segment.
    if (last.base < last.seq) return firstTo(forest, node, last.seq, rank)?.at ?? []
    const { bases, ...path } = forest.pathOf(node)
    const ways = chainsOf(node.timeline, { ...path, bases }).filter(({ seq }) => seq === last.seq)
    const [best] = ways.map(rankOf({ isContinued: () => false })).sort(byRank)
    return best ? best.way.at : []
  })
}

/** Returns the first segment that leads a timeline to transaction `seq`, in the order of the content. */
function firstTo(forest: Forest, node: Node, seq: number, rank: ReadonlyMap<Segment, number>) {
  let first: Segment | undefined
  for (const { segments, last } of forest.up(node, seq - 1)) {
    const found = segments.find(({ from, to }) => from <= seq && Math.min(to, last) === seq)
    if (found && (!first || (rank.get(found) ?? 0) < (rank.get(first) ?? 0))) first = found
  }
  return first
}

interface RankOptions {
  readonly until?: Date | undefined
  readonly isContinued: (seq: number) => boolean
}

function rankOf({ until, isContinued }: RankOptions): (way: Dated) => Ranked {
  return (way) => {
    const { timeline, base, seq, latest } = way
    return {
      ...{ isPartial: base.isPartial, isAt: isAt(way, until), generation: timeline.generation },
      ...{ isContinued: isContinued(seq), latest, seq, base: base.seq, way },
    }
  }
}
