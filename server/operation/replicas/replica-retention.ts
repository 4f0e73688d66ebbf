/**
 * The retention of a place: all segments of the last hour, one per minute of the last day, one per day of the last month, then one base per week.
 * Decisions follow only from objects that are listed whole, so a listing that lacks some removes less, never more.
 */
import type { Base, Content, Segment } from './catalog.ts'

export const hourMs = 60 * 60_000
export const dayMs = 24 * hourMs
export const weekMs = 7 * dayMs
export const monthMs = 30 * dayMs
/** Contents of segments that are joined, together at most: they are in memory. */
const joinedBytes = 1024 * 1024

/** Returns neighbouring segments to join: per minute when they are an hour old, per day when they are a day old. */
export function joinable({ segments }: Pick<Content, 'segments'>, now: Date): Segment[][] {
  const byTimeline = Map.groupBy(segments, ({ timeline }) => timeline)
  return [...byTimeline.values()].flatMap((own) => joinableOf(own, now))
}

/** @param segments those of one timeline */
function joinableOf(segments: readonly Segment[], now: Date): Segment[][] {
  const groups: Segment[][] = []
  let group: Segment[] = []
  let bytes = 0
  for (const segment of withoutCovered(segments)) {
    const last = group.at(-1)
    bytes += segment.bytes
    const period = periodOf(segment, now)
    const fits =
      last && period && period === periodOf(last, now) && segment.from === last.to + 1 && bytes <= joinedBytes
    if (!fits) {
      groups.push(group)
      group = []
      bytes = segment.bytes
    }
    group.push(segment)
  }
  return [...groups, group].filter(({ length }) => length > 1)
}

/** Names the period whose segments are joined; undefined for one that ended too recently. */
function periodOf({ at }: Segment, now: Date): string | undefined {
  const ends = (ms: number) => (Math.floor(at.getTime() / ms) + 1) * ms
  if (now.getTime() - ends(dayMs) >= dayMs) return `day ${ends(dayMs)}`
  return now.getTime() - ends(60_000) >= hourMs ? `minute ${ends(60_000)}` : undefined
}

/** Returns the segments that no other one contains, ascending. */
function withoutCovered(segments: readonly Segment[]): Segment[] {
  const kept: Segment[] = []
  for (const segment of segments.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (segment.to > (kept.at(-1)?.to ?? 0)) kept.push(segment)
  }
  return kept
}

/** Bases and segments of one way, or of one timeline. */
export type Objects = Omit<Content, 'timelines'>

export interface Expired {
  readonly bases: readonly Base[]
  readonly segments: readonly Segment[]
}

/** Returns the expired objects of the way to the present. @param weeks how long weekly bases are kept */
export function expired(content: Objects, now: Date, weeks: number): Expired {
  const age = ({ at }: { readonly at: Date }) => now.getTime() - at.getTime()
  const { bases, segments, cut } = content
  // The segments of the last month begin here. A base that a wrong clock has made old follows younger ones.
  const young = bases.findIndex((base) => age(base) < monthMs)
  const floor = bases[(young === -1 ? bases.length : young) - 1]
  const needed = new Set(withoutCovered(segments))
  const isPast = (segment: Segment) =>
    floor !== undefined && segment.to <= floor.seq && age(segment) >= monthMs
  return {
    bases: expiredBases(content, floor, (base) => age(base) < weeks * weekMs),
    segments: [
      ...segments.filter((segment) => isPast(segment) || (!needed.has(segment) && age(segment) >= hourMs)),
      ...cut.filter(isPast),
    ],
  }
}

/** Keeps the newest base, the first of each week, and each whose moment no kept one and its segments lead to. */
function expiredBases(
  { bases, segments }: Objects,
  floor: Base | undefined,
  isInTime: (base: Base) => boolean,
): Base[] {
  const surplus: Base[] = []
  const weeks = new Set<number>()
  const ascending = segments.values()
  let next = ascending.next()
  let reached = 0
  for (const base of bases) {
    const week = Math.floor(base.at.getTime() / weekMs)
    const isOld = floor !== undefined && base.seq < floor.seq
    const isWeekly = isInTime(base) && !weeks.has(week)
    const isKept = base === bases.at(-1) || base === floor || isWeekly || (!isOld && base.seq > reached)
    if (!isKept) {
      surplus.push(base)
      continue
    }
    weeks.add(week)
    reached = Math.max(reached, base.seq)
    for (; !next.done && next.value.from <= reached + 1; next = ascending.next()) {
      reached = Math.max(reached, next.value.to)
    }
  }
  return surplus
}

/** Whether the last restore point of an abandoned branch has expired. False if the branch is absent from the list: its age is unknown. */
export function isOver({ bases, segments, unfinished, cut }: Objects, now: Date, weeks: number): boolean {
  const last = Math.max(...[...bases, ...segments, ...unfinished, ...cut].map(({ at }) => at.getTime()))
  return Number.isFinite(last) && now.getTime() - last >= weeks * weekMs
}
