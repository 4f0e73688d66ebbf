/**
 * What a place has of a server, as its names say:
 *
 *     pds-copy                                   format, and the fingerprint of the key; not encrypted
 *     LINE/claim                                 which computer continues which line of history
 *     LINE/bases/SEQ-MS/0001…, end               the compressed database in parts; the end makes it complete
 *     LINE/segments/FROM-TO-MS                   journals that continue a base
 *     media/X/NAME-PART-PARTS                    media, under names that only the key can derive
 *
 * LINE is `line-GENERATION-RANDOM`. Each restore begins a line with a higher generation. SEQ, FROM and TO are numbers of transactions, MS
 * milliseconds since 1970.
 */
import type { Entry, Place } from './places/place.ts'

export const headName = 'pds-copy'
export const mediaFolder = 'media'

export interface Line {
  readonly name: string
  readonly generation: number
}

/** A database as of transaction `seq`. */
export interface Base {
  /** With its folder. */
  readonly name: string
  readonly seq: number
  readonly at: Date
}

/** Transactions `from` to `to`, the last of which was on disk at `at`. */
export interface Segment {
  /** With its folder. */
  readonly name: string
  readonly from: number
  readonly to: number
  readonly at: Date
  readonly bytes: number
}

/** A base and what continues it without a gap. */
export interface Chain {
  readonly line: Line
  readonly base: Base
  readonly segments: readonly Segment[]
  /** Number of its last transaction. */
  readonly seq: number
  readonly at: Date
}

export interface Content extends Line {
  /** Complete ones, ascending. */
  readonly bases: readonly Base[]
  /** Ascending by their first transaction. */
  readonly segments: readonly Segment[]
}

export function lineName(generation: number, random: string): string {
  return `line-${String(generation).padStart(6, '0')}-${random}`
}

export function claimName(line: Line): string {
  return `${line.name}/claim`
}

export function baseName(line: Line, seq: number, at: Date): string {
  return `${line.name}/bases/${padded(seq)}-${at.getTime()}`
}

export function partName(base: string, number: number): string {
  return `${base}/${String(number).padStart(5, '0')}`
}

export function endName(base: string): string {
  return `${base}/end`
}

export function segmentName(line: Line, { from, to, at }: Pick<Segment, 'from' | 'to' | 'at'>): string {
  return `${line.name}/segments/${padded(from)}-${padded(to)}-${at.getTime()}`
}

function padded(seq: number): string {
  return String(seq).padStart(12, '0')
}

/** Returns the lines of history at a place, the newest first. */
export async function listLines(place: Place): Promise<Line[]> {
  return (await place.list(''))
    .flatMap(({ name }) => {
      const generation = /^line-(\d{6,})-[0-9a-f]+$/.exec(name)?.[1]
      return generation ? [{ name, generation: Number(generation) }] : []
    })
    .sort((a, b) => b.generation - a.generation || (a.name < b.name ? 1 : -1))
}

/** Lists the bases and segments of a line. */
export async function readLine(place: Place, line: Line): Promise<Content> {
  const folders = await place.list(`${line.name}/bases`)
  const bases: Base[] = []
  for (const { name } of folders) {
    const [, seq, ms] = /^(\d+)-(\d+)$/.exec(name) ?? []
    if (!seq) continue
    const base = { name: `${line.name}/bases/${name}`, seq: Number(seq), at: new Date(Number(ms)) }
    if ((await place.list(base.name)).some((entry) => entry.name === 'end')) bases.push(base)
  }
  bases.sort((a, b) => a.seq - b.seq || a.at.getTime() - b.at.getTime())
  return { ...line, bases, segments: parseSegments(line, await place.list(`${line.name}/segments`)) }
}

function parseSegments(line: Line, entries: readonly Entry[]): Segment[] {
  return entries
    .flatMap(({ name, bytes }) => {
      const [, from, to, ms] = /^(\d+)-(\d+)-(\d+)$/.exec(name) ?? []
      if (!from || bytes === undefined) return []
      const path = `${line.name}/segments/${name}`
      return [{ name: path, from: Number(from), to: Number(to), at: new Date(Number(ms)), bytes }]
    })
    .sort((a, b) => a.from - b.from || a.to - b.to)
}

/** Returns the longest chain up to a time, the end of the line by default; undefined if there is no base. */
export function chainOf({ bases, segments, ...line }: Content, until?: Date): Chain | undefined {
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
    if (!best || seq >= best.seq) best = { line, base, segments: chain, seq, at: (chain.at(-1) ?? base).at }
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
