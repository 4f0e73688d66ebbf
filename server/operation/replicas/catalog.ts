/**
 * The objects of a server at a place, as their names state:
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
 *
 * Read this first; `ways.ts` has the states that this leads to. The backups in the data directory are in `local/`, the kinds of other
 * places in `places/`, the parts of the copy at one place in `replica.ts`. Any of them is restored by `bring-back.ts`, which fetches
 * (`receive.ts`) and puts together (`assemble.ts`).
 */
import { fileTime, parseFileTime } from '../../store/files/layout.ts'
import { type Entry, ifUndamaged, type Place } from './places/place.ts'
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
  /** Bytes of its parts. */
  readonly bytes: number
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

/** Larger numbers would lose digits; servers write smaller ones. */
const namePattern = '(\\d{6,15}_[0-9a-f]+)'
const number = '(\\d{1,15})'
const timelinePattern = new RegExp(`^${namePattern}(?:-${number}-${namePattern})?$`)
const basePattern = new RegExp(`^${number}-(\\d{8}T\\d{9}Z)-${number}-${namePattern}(-partial)?$`)
const segmentPattern = new RegExp(`^${number}-${number}-(\\d{8}T\\d{9}Z)-${number}-${namePattern}$`)

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
  return bytes === sealedBytes(contentBytes(name))
}

/** Size of the content of an object whose name ends in it. */
export const contentBytes = (name: string) => Number(/-(\d+)$/.exec(name)?.[1])

function padded(seq: number): string {
  return String(seq).padStart(12, '0')
}

/** Returns the timelines at a place, those of the highest generation first. */
export async function listTimelines(place: Pick<Place, 'list'>): Promise<Timeline[]> {
  return (await place.list(timelinesFolder))
    .flatMap((entry): Timeline[] => {
      const [, name, seq, parent] = timelinePattern.exec(entry.name) ?? []
      const origin = parent ? { name: parent, seq: Number(seq) } : undefined
      return name ? [{ name, generation: generationOf(name), parent: origin }] : []
    })
    .sort((a, b) => b.generation - a.generation || (a.name < b.name ? -1 : 1))
}

/** A place, and how it has objects. */
export interface Listed {
  readonly place: Pick<Place, 'list'> & Partial<Pick<Place, 'get'>>
  readonly sealer: Sizes & Partial<Pick<Sealer, 'open'>>
}

/**
 * Anyone who writes at a place can add a second name of a timeline with another parent, which would hide its states. Keeps the name whose lease
 * the key opens, and all of them if there is none: the lease may be damaged.
 */
async function withoutForged({ place, sealer }: Listed, timelines: Timeline[]): Promise<Timeline[]> {
  const isProven = async (timeline: Timeline) => {
    const name = leaseName(timeline)
    const sealed = await place.get?.(name)
    return sealed !== undefined && (await ifUndamaged(async () => sealer.open?.(name, sealed))) !== undefined
  }
  const kept: Timeline[] = []
  for (const same of Map.groupBy(timelines, ({ name }) => name).values()) {
    let proven: Timeline | undefined
    if (same.length > 1) for (const each of same) if (!proven && (await isProven(each))) proven = each
    kept.push(...(proven ? [proven] : same))
  }
  return kept
}

/** Lists everything but media. */
export async function readContent(target: Listed): Promise<Content> {
  const { place, sealer } = target
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
    const bytes = parts.reduce((sum, part) => sum + contentBytes(part), 0)
    const base = { name, timeline, seq: Number(seq), at, parts, bytes, isPartial: partial !== undefined }
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
    const numbers = { from: Number(from), to: Number(to), at, bytes: Number(count) }
    const segment = { name: `${segmentsFolder}/${name}`, timeline, ...numbers }
    ;(size === sealer.sealedBytes(segment.bytes) ? segments : cut).push(segment)
  }
  const byFirst = (a: Segment, b: Segment) => a.from - b.from || a.to - b.to
  return {
    timelines: await withoutForged(target, await listTimelines(place)),
    ...{ bases: bases.sort(bySeq), segments: segments.sort(byFirst) },
    ...{ unfinished: unfinished.sort(bySeq), cut: cut.sort(byFirst) },
  }
}

/** The highest generation of a server. Higher ones are forged: they would leave a restore no generation above them. */
const maxGeneration = 10 ** 12

/** Listings at most, of a place that changes meanwhile. */
const maxListings = 5

/**
 * Returns the highest generation at a place: a timeline that begins with a restore, or by the decision of the owner, must have a higher one.
 * Lists the place until two listings in a row agree: one alone may be short. The names of bases and segments count, too, because their timeline may be lost.
 * @returns 0 if there is none
 * @throws PlaceProblem
 */
export async function newestGeneration(target: Listed): Promise<number> {
  const generations: number[] = [0]
  let last = ''
  for (let left = maxListings; left > 0; left--) {
    const content = await readContent(target)
    generations.push(highestIn(content))
    const listing = JSON.stringify(content)
    if (listing === last) break
    last = listing
  }
  return Math.max(...generations)
}

function highestIn({ timelines, bases, segments, unfinished, cut }: Content): number {
  const objects = [...bases, ...segments, ...unfinished, ...cut]
  const names = new Set([...timelines.map(({ name }) => name), ...objects.map(({ timeline }) => timeline)])
  return Math.max(0, ...[...names].map(generationOf).filter((generation) => generation < maxGeneration))
}
