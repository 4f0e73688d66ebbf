/** The objects of a place that count for a restore to a time. */
import type { Base, Content, Segment } from '../catalog.ts'
import { createForest } from './forest.ts'
import { isAt } from './newest.ts'

type Objects = Pick<Content, 'bases' | 'segments'>

/**
 * Leaves out objects that were written after a time. What leads to a state of exactly this time counts in any case: it was written before,
 * by a clock that was ahead or is set back since.
 */
export function inTime(content: Content, until: Date | undefined): Objects {
  const { bases, segments } = content
  if (until === undefined) return { bases, segments }
  const { own, inherited } = statesOf(content, until)
  const isInTime = ({ at, timeline }: Base | Segment, first: number, last: number) =>
    at <= until || last <= (own.get(timeline) ?? -1) || first <= (inherited.get(timeline) ?? -1)
  return {
    bases: bases.filter((base) => isInTime(base, base.seq, base.seq)),
    segments: segments.filter((segment) => isInTime(segment, segment.from, segment.to)),
  }
}

/** Returns the last transaction that leads to a state of a time, of the timelines that have one, and of those that they continue. */
function statesOf(content: Content, time: Date) {
  const [own, inherited] = [new Map<string, number>(), new Map<string, number>()]
  const raise = (seqs: Map<string, number>, timeline: string, seq: number) =>
    seqs.set(timeline, Math.max(seq, seqs.get(timeline) ?? seq))
  for (const base of content.bases) if (isAt(base, time)) raise(own, base.timeline, base.seq)
  for (const segment of content.segments) if (isAt(segment, time)) raise(own, segment.timeline, segment.to)
  if (own.size === 0) return { own, inherited }
  for (const { timeline, parent, limit } of createForest(content).ascending.toReversed()) {
    const seq = Math.max(own.get(timeline.name) ?? -1, inherited.get(timeline.name) ?? -1)
    if (parent && seq >= 0) raise(inherited, parent.timeline.name, Math.min(seq, limit))
  }
  return { own, inherited }
}
