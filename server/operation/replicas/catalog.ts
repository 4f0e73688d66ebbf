/**
 * What a place has of a server, as its names say:
 *
 *     pds-replica                                      format, and the fingerprint of the key; not encrypted
 *     timelines/NAME                                   a timeline that begins with a base; its content is the lease
 *     timelines/NAME-SEQ-PARENT                        a timeline that continues PARENT after transaction SEQ
 *     bases/SEQ-TIME-PARTS-NAME/PART-BYTES, end        the compressed database in parts; the end makes it complete
 *     bases/SEQ-TIME-PARTS-NAME-partial/…              the same without the pages that are damaged here
 *     segments/FROM-TO-TIME-BYTES-NAME                 journals that continue a base
 *     media/X/HIDDEN-PART-PARTS-BYTES                  media, under names that only the key can derive
 *
 * A timeline is one run of one computer on one data folder: bases and segments name the one that wrote them. Its NAME is
 * `GENERATION_RANDOM`; a restore begins one with a higher generation. SEQ, FROM and TO are numbers of transactions, TIME is in
 * UTC. BYTES is the size of the content before it is sealed: an object of another size is not whole, and counts as missing.
 */
import { fileTime, parseFileTime } from '../../platform/store/layout.ts'
import type { Entry, Place } from './places/place.ts'
import { createReach, type Path } from './reach.ts'
import type { Sealer } from './sealer.ts'

export const headName = 'pds-replica'
export const mediaFolder = 'media'
const timelinesFolder = 'timelines'
export const basesFolder = 'bases'
const segmentsFolder = 'segments'

export interface Timeline {
  readonly name: string
  readonly generation: number
  /** The timeline that this one continues after a transaction; undefined if it begins with a base. */
  readonly parent: { readonly name: string; readonly seq: number } | undefined
}

/** A database as of transaction `seq`. */
export interface Base {
  /** With its folder. */
  readonly name: string
  /** Name of the timeline that wrote it. */
  readonly timeline: string
  readonly seq: number
  readonly at: Date
  /** Names of its parts, in order. */
  readonly parts: readonly string[]
  /** Whether damaged pages are left out. */
  readonly isPartial: boolean
}

/** Transactions `from` to `to`, the last of which was on disk at `at`. */
export interface Segment {
  /** With its folder. */
  readonly name: string
  /** Name of the timeline that wrote it. */
  readonly timeline: string
  readonly from: number
  readonly to: number
  readonly at: Date
  /** Size of its content. */
  readonly bytes: number
}

/** A segment of a chain. Its transactions after `last` are of a branch that the chain does not follow. */
export interface Link extends Segment {
  readonly last: number
}

/** A way to a state: a base and what continues it without a gap. */
export interface Chain {
  readonly timeline: Timeline
  readonly base: Base
  readonly segments: readonly Link[]
  /** Number of its last transaction. */
  readonly seq: number
  readonly at: Date
}

export interface Content {
  readonly timelines: readonly Timeline[]
  /** Complete ones, ascending. */
  readonly bases: readonly Base[]
  /** Whole ones, ascending by their first transaction. */
  readonly segments: readonly Segment[]
  /** Bases of which a part or the end is not listed, ascending. */
  readonly unfinished: readonly Base[]
  /** Segments that are not whole. */
  readonly cut: readonly Segment[]
}

const namePattern = '(\\d{6,}_[0-9a-f]+)'
const timelinePattern = new RegExp(`^${namePattern}(?:-(\\d+)-${namePattern})?$`)
const basePattern = new RegExp(`^(\\d+)-(\\d{8}T\\d{9}Z)-(\\d+)-${namePattern}(-partial)?$`)
const segmentPattern = new RegExp(`^(\\d+)-(\\d+)-(\\d{8}T\\d{9}Z)-(\\d+)-${namePattern}$`)

export function timelineName(generation: number, random: string): string {
  return `${String(generation).padStart(6, '0')}_${random}`
}

export function generationOf(timeline: string): number {
  return Number.parseInt(timeline, 10)
}

/** The name of the object that has the lease of a timeline. */
export function leaseName({ name, parent }: Timeline): string {
  return `${timelinesFolder}/${parent ? `${name}-${padded(parent.seq)}-${parent.name}` : name}`
}

export function baseName(timeline: string, seq: number, at: Date, parts: number, isPartial = false): string {
  return `${basesFolder}/${padded(seq)}-${fileTime(at)}-${parts}-${timeline}${isPartial ? '-partial' : ''}`
}

export function partName(base: string, number: number, bytes: number): string {
  return `${base}/${String(number).padStart(5, '0')}-${bytes}`
}

export function endName(base: string): string {
  return `${base}/end`
}

export function segmentName({ timeline, from, to, at, bytes }: Omit<Segment, 'name'>): string {
  return `${segmentsFolder}/${padded(from)}-${padded(to)}-${fileTime(at)}-${bytes}-${timeline}`
}

/** Size of the content of each end, which its name does not say. */
export const endBytes = 256

/** How a place has the objects: `sealedBytes` of its sealer. */
type Sizes = Pick<Sealer, 'sealedBytes'>

function isWholeEnd({ sealedBytes }: Sizes, { name, bytes }: Entry): boolean {
  return name === 'end' && bytes === sealedBytes(endBytes)
}

/** Whether an object whose name ends in the size of its content is whole. */
export function isWhole({ sealedBytes }: Sizes, { name, bytes }: Entry): boolean {
  return bytes === sealedBytes(Number(/-(\d+)$/.exec(name)?.[1]))
}

function padded(seq: number): string {
  return String(seq).padStart(12, '0')
}

/** Returns the timelines at a place, those of the highest generation first. */
export async function listTimelines(place: Pick<Place, 'list'>): Promise<Timeline[]> {
  return (await place.list(timelinesFolder))
    .flatMap((entry): Timeline[] => {
      const [, name, seq, parent] = timelinePattern.exec(entry.name) ?? []
      if (!name) return []
      return [
        {
          name,
          generation: generationOf(name),
          parent: parent ? { name: parent, seq: Number(seq) } : undefined,
        },
      ]
    })
    .sort((a, b) => b.generation - a.generation || (a.name < b.name ? -1 : 1))
}

/** A place, and how it has objects. */
export interface Listed {
  readonly place: Pick<Place, 'list'>
  readonly sealer: Sizes
}

/** Lists everything but media. */
export async function readContent({ place, sealer }: Listed): Promise<Content> {
  const bases: Base[] = []
  const unfinished: Base[] = []
  for (const folder of await place.list(basesFolder)) {
    const [, seq, time = '', count, timeline, partial] = basePattern.exec(folder.name) ?? []
    const at = parseFileTime(time)
    if (!timeline || !at) continue
    const name = `${basesFolder}/${folder.name}`
    const entries = await place.list(name)
    const whole = entries.filter((entry) => isWhole(sealer, entry))
    const parts = whole.map((entry) => `${name}/${entry.name}`).toSorted()
    const base = { name, timeline, seq: Number(seq), at, parts, isPartial: partial !== undefined }
    const isComplete = parts.length === Number(count) && entries.some((entry) => isWholeEnd(sealer, entry))
    ;(isComplete ? bases : unfinished).push(base)
  }
  const bySeq = (a: Base, b: Base) => a.seq - b.seq || a.at.getTime() - b.at.getTime()
  const segments: Segment[] = []
  const cut: Segment[] = []
  for (const { name, bytes: size } of await place.list(segmentsFolder)) {
    const [, from, to, time = '', count, timeline] = segmentPattern.exec(name) ?? []
    const at = parseFileTime(time)
    if (!timeline || !at) continue
    const bytes = Number(count)
    const numbers = { from: Number(from), to: Number(to), at, bytes }
    ;(size === sealer.sealedBytes(bytes) ? segments : cut).push({
      ...{ name: `${segmentsFolder}/${name}`, timeline },
      ...numbers,
    })
  }
  const byFirst = (a: Segment, b: Segment) => a.from - b.from || a.to - b.to
  return {
    timelines: await listTimelines(place),
    ...{ bases: bases.sort(bySeq), segments: segments.sort(byFirst) },
    ...{ unfinished: unfinished.sort(bySeq), cut: cut.sort(byFirst) },
  }
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
  /** Leaves out what was on disk later. */
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
 * Returns whether a way ends before another one of its timeline, or of one that it continues: its objects may be newer all the same, such
 * as the base of a clone that has written nothing, or one that was made with a clock ahead.
 */
function continuedOf(paths: ReturnType<typeof pathsIn>, ways: readonly Chain[]): (way: Chain) => boolean {
  const farthest = new Map<string, number>()
  for (const { timeline, seq } of ways) {
    farthest.set(timeline.name, Math.max(seq, farthest.get(timeline.name) ?? 0))
  }
  const limits = new Map(paths.map((path) => [path.timeline.name, [...path.limits]]))
  return ({ timeline, seq }) =>
    (limits.get(timeline.name) ?? []).some(([name, limit]) => limit >= seq && (farthest.get(name) ?? 0) > seq)
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
