/** The ways to the states of a server that a place has: each a base, and the segments that continue it on its timeline. */
import { type Base, type Content, generationOf, type Segment, type Timeline } from './catalog.ts'
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
  return limitsIn(new Map(timelines.map((each) => [each.name, each])), timeline)
}

function limitsIn(byName: ReadonlyMap<string, Timeline>, timeline: Timeline): Map<string, number> {
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
  return chainsOf(inTime(content, until), timeline, limits).reduce<Chain | undefined>(
    (best, chain) => (best && best.seq > chain.seq ? best : chain),
    undefined,
  )
}

/** A chain with the time of its newest object: what continues a chain is never older, even if the clock was wrong in between. */
interface Dated extends Chain {
  /** In milliseconds since 1970. */
  readonly latest: number
}

/** Returns the longest chain from each base, ascending by the base. */
function chainsOf(
  { bases, segments }: Omit<Objects, 'timelines'>,
  timeline: Timeline,
  limits: ReadonlyMap<string, number>,
): Dated[] {
  const reach = createReach(pathOf(segments, limits))
  return bases
    .filter((base) => counts(base, limits))
    .map((base) => {
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

function inTime({ bases, segments }: Content, until: Date | undefined): Omit<Objects, 'timelines'> {
  const isInTime = ({ at }: { readonly at: Date }) => until === undefined || at <= until
  return { bases: bases.filter(isInTime), segments: segments.filter(isInTime) }
}

/**
 * Yields ways to the states at a place, the newest state of the highest generation first, and partial bases last. All branches count. A timeline whose own
 * object is missing counts as one that begins with a base.
 * @param until leaves out later objects; ways to a state of exactly this time, as it is listed, come first, whatever their generation
 */
export function* waysTo(content: Content, until?: Date): Generator<Chain> {
  const objects = inTime(content, until)
  const paths = pathsIn(content)
  const ways = paths.flatMap(({ timeline, limits }) => chainsOf(objects, timeline, limits))
  const continued = new Set(ways.filter(continuedOf(paths, ways)))
  yield* ways.sort(
    (a, b) =>
      Number(a.base.isPartial) - Number(b.base.isPartial) ||
      Number(isAt(b, until)) - Number(isAt(a, until)) ||
      b.timeline.generation - a.timeline.generation ||
      Number(continued.has(a)) - Number(continued.has(b)) ||
      b.latest - a.latest ||
      b.seq - a.seq ||
      b.base.seq - a.base.seq,
  )
}

/** Whether a state is of exactly this time. */
export function isAt({ at }: { readonly at: Date }, time: Date | undefined): boolean {
  return at.getTime() === time?.getTime()
}

/**
 * Returns whether a way ends before another one of its timeline, of one that it continues, or of one that continues it: its objects may be
 * newer all the same, such as the base of a clone that has written nothing, or those that were made with a clock ahead.
 */
function continuedOf(paths: ReturnType<typeof pathsIn>, ways: readonly Chain[]): (way: Chain) => boolean {
  const farthest = new Map<string, number>()
  for (const { timeline, seq, base } of ways) {
    // Pages are missing there: it continues nothing.
    if (base.isPartial) continue
    farthest.set(timeline.name, Math.max(seq, farthest.get(timeline.name) ?? 0))
  }
  /** For each timeline, those that have a part of it or that it has a part of: the last common transaction, and the last one at all. */
  const related = new Map<string, { readonly common: number; readonly last: number }[]>()
  const relate = (name: string, common: number, last: number) => {
    const others = related.get(name)
    if (others) others.push({ common, last })
    else related.set(name, [{ common, last }])
  }
  for (const { timeline, limits } of paths) {
    for (const [name, common] of limits) {
      relate(timeline.name, common, farthest.get(name) ?? 0)
      if (name !== timeline.name) relate(name, common, farthest.get(timeline.name) ?? 0)
    }
  }
  return ({ timeline, seq }) =>
    (related.get(timeline.name) ?? []).some(({ common, last }) => common >= seq && last > seq)
}

/** Returns the times of all states to which ways lead, in milliseconds since 1970. */
export function timesOf(content: Content): Set<number> {
  const times = new Set<number>()
  for (const { limits } of pathsIn(content)) {
    const bases = content.bases.filter((base) => counts(base, limits))
    const reached = createReach(pathOf(content.segments, limits)).segmentsFrom(bases.map(({ seq }) => seq))
    for (const { at } of [...bases, ...reached]) times.add(at.getTime())
  }
  return times
}

/** Returns all timelines, also those whose own object is missing, with what `limitsOf` returns. */
function pathsIn({ timelines, bases, segments }: Content) {
  const names = new Set([...bases, ...segments].map(({ timeline }) => timeline))
  const known = timelines.filter(({ name }) => names.delete(name))
  const unknown = [...names].map((name) => ({ name, generation: generationOf(name), parent: undefined }))
  const byName = new Map(timelines.map((each) => [each.name, each]))
  return [...known, ...unknown].map((timeline) => ({ timeline, limits: limitsIn(byName, timeline) }))
}
