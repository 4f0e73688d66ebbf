/**
 * What a place has of a server, as its names say:
 *
 *     pds-copy                                   format, and the fingerprint of the key; not encrypted
 *     LINE/lease                                 which computer continues which timeline
 *     LINE/bases/SEQ-MS-PARTS/PART-BYTES, end    the compressed database in parts; the end makes it complete
 *     LINE/segments/FROM-TO-MS-BYTES             journals that continue a base
 *     media/X/NAME-PART-PARTS-BYTES              media, under names that only the key can derive
 *
 * LINE is `timeline-GENERATION-RANDOM`. Each restore begins a timeline with a higher generation. SEQ, FROM and TO are numbers of transactions, MS
 * milliseconds since 1970. BYTES is the size of the content before it is encrypted: an object of another size is not whole, and counts as
 * missing.
 */

import type { Entry, Place } from './places/place.ts'
import { sealedBytes } from './replica-key.ts'

export const headName = 'pds-copy'
export const mediaFolder = 'media'

export interface Timeline {
  readonly name: string
  readonly generation: number
}

/** A database as of transaction `seq`. */
export interface Base {
  /** With its folder. */
  readonly name: string
  readonly seq: number
  readonly at: Date
  /** Names of its parts, in order. */
  readonly parts: readonly string[]
}

/** Transactions `from` to `to`, the last of which was on disk at `at`. */
export interface Segment {
  /** With its folder. */
  readonly name: string
  readonly from: number
  readonly to: number
  readonly at: Date
  /** Size of its content. */
  readonly bytes: number
}

/** A base and what continues it without a gap. */
export interface Chain {
  readonly timeline: Timeline
  readonly base: Base
  readonly segments: readonly Segment[]
  /** Number of its last transaction. */
  readonly seq: number
  readonly at: Date
}

export interface Content extends Timeline {
  /** Complete ones, ascending. */
  readonly bases: readonly Base[]
  /** Whole ones, ascending by their first transaction. */
  readonly segments: readonly Segment[]
  /** Bases of which a part or the end is not listed, ascending. */
  readonly unfinished: readonly Base[]
  /** Segments that are not whole. */
  readonly cut: readonly Segment[]
}

export function timelineName(generation: number, random: string): string {
  return `timeline-${String(generation).padStart(6, '0')}-${random}`
}

export function leaseName(timeline: Timeline): string {
  return `${timeline.name}/lease`
}

export function baseName(timeline: Timeline, seq: number, at: Date, parts: number): string {
  return `${timeline.name}/bases/${padded(seq)}-${at.getTime()}-${parts}`
}

export function partName(base: string, number: number, bytes: number): string {
  return `${base}/${String(number).padStart(5, '0')}-${bytes}`
}

export function endName(base: string): string {
  return `${base}/end`
}

export function segmentName(timeline: Timeline, { from, to, at, bytes }: Omit<Segment, 'name'>): string {
  return `${timeline.name}/segments/${padded(from)}-${padded(to)}-${at.getTime()}-${bytes}`
}

/** Size of the content of each end, which its name does not say. */
export const endBytes = 256

function isWholeEnd({ name, bytes }: Entry): boolean {
  return name === 'end' && bytes === sealedBytes(endBytes)
}

/** Whether an object whose name ends in the size of its content is whole. */
export function isWhole({ name, bytes }: Entry): boolean {
  return bytes === sealedBytes(Number(/-(\d+)$/.exec(name)?.[1]))
}

function padded(seq: number): string {
  return String(seq).padStart(12, '0')
}

/** Returns the timeline at a place, the newest first. */
export async function listTimelines(place: Place): Promise<Timeline[]> {
  return (await place.list(''))
    .flatMap(({ name }) => {
      const generation = /^timeline-(\d{6,})-[0-9a-f]+$/.exec(name)?.[1]
      return generation ? [{ name, generation: Number(generation) }] : []
    })
    .sort((a, b) => b.generation - a.generation || (a.name < b.name ? 1 : -1))
}

/** Lists the bases and segments of a timeline. */
export async function readTimeline(place: Place, timeline: Timeline): Promise<Content> {
  const bases: Base[] = []
  const unfinished: Base[] = []
  for (const folder of await place.list(`${timeline.name}/bases`)) {
    const [, seq, ms, count] = /^(\d+)-(\d+)-(\d+)$/.exec(folder.name) ?? []
    if (!seq) continue
    const name = `${timeline.name}/bases/${folder.name}`
    const entries = await place.list(name)
    const parts = entries.filter(isWhole).map((entry) => `${name}/${entry.name}`)
    const base = { name, seq: Number(seq), at: new Date(Number(ms)), parts: parts.toSorted() }
    const isComplete = parts.length === Number(count) && entries.some(isWholeEnd)
    ;(isComplete ? bases : unfinished).push(base)
  }
  const bySeq = (a: Base, b: Base) => a.seq - b.seq || a.at.getTime() - b.at.getTime()
  const entries = await place.list(`${timeline.name}/segments`)
  return {
    ...timeline,
    bases: bases.sort(bySeq),
    segments: parseSegments(timeline, entries.filter(isWhole)),
    unfinished: unfinished.sort(bySeq),
    cut: parseSegments(
      timeline,
      entries.filter((entry) => !isWhole(entry)),
    ),
  }
}

function parseSegments(timeline: Timeline, entries: readonly Entry[]): Segment[] {
  return entries
    .flatMap(({ name }) => {
      const [, from, to, ms, bytes] = /^(\d+)-(\d+)-(\d+)-(\d+)$/.exec(name) ?? []
      if (!from) return []
      const path = `${timeline.name}/segments/${name}`
      const at = new Date(Number(ms))
      return [{ name: path, from: Number(from), to: Number(to), at, bytes: Number(bytes) }]
    })
    .sort((a, b) => a.from - b.from || a.to - b.to)
}

/** Returns the longest chain up to a time, the end of the timeline by default; undefined if there is no base. */
export function chainOf({ name, generation, bases, segments }: Content, until?: Date): Chain | undefined {
  const isInTime = ({ at }: { at: Date }) => until === undefined || at <= until
  let best: Chain | undefined
  for (const base of bases.filter(isInTime)) {
    const chain: Segment[] = []
    let seq = base.seq
    for (const [at, segment] of segments.entries()) {
      if (segment.from > seq + 1) break
      // Of segments that overlap, the one that reaches farthest.
      if (segment.to <= seq || !isInTime(segment) || isBeaten(segments, at, seq, isInTime)) continue
      chain.push(segment)
      seq = segment.to
    }
    // Of equal chains, the one that starts later has less to replay.
    if (!best || seq >= best.seq)
      best = { timeline: { name, generation }, base, segments: chain, seq, at: (chain.at(-1) ?? base).at }
  }
  return best
}

/** Whether a later segment that also continues transaction `seq` reaches farther than the one at `at`. */
function isBeaten(
  segments: readonly Segment[],
  at: number,
  seq: number,
  isInTime: (segment: Segment) => boolean,
): boolean {
  for (let next = at + 1; next < segments.length; next++) {
    const [segment, other] = [segments[at] as Segment, segments[next] as Segment]
    if (other.from > seq + 1) return false
    if (other.to > segment.to && isInTime(other)) return true
  }
  return false
}
