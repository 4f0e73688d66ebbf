/**
 * Which computer continues which timeline. The data directory remembers its timeline; a place says by leases which others there are.
 * A restored server begins a timeline with a higher generation, so the computer that it comes from notices that it is continued elsewhere.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Files, readIfThere, replaceFile } from '../../platform/store/files.ts'
import { copiesName, lineageName } from '../../platform/store/layout.ts'
import { createSerializer } from '../../platform/util/serialize.ts'
import { headName, leaseName, listTimelines, type Timeline, timelineName } from './catalog.ts'
import { PlaceProblem } from './places/place.ts'
import { putJson, type Target } from './send.ts'

/** In the folder of copies: random names of this computer, a new one for each timeline that it begins. */
const writersName = 'writer'

/** The content of a lease. */
export interface Lease {
  readonly writer: string
  readonly at: string
}

/** Returns the names of this computer, the newest last. */
async function readWriters(files: Files, dir: string): Promise<string[]> {
  const bytes = await readIfThere(files, join(dir, copiesName, writersName))
  return Buffer.from(bytes ?? '')
    .toString()
    .split('\n')
    .filter((name) => name !== '')
}

/**
 * Gives this computer one more name. A copy of its data folder has the earlier ones too, so only the name of a timeline shows who began
 * it.
 */
async function addWriter(files: Files, dir: string): Promise<void> {
  const names = [...(await readWriters(files, dir)), randomBytes(16).toString('hex')]
  await replaceFile(files, join(dir, copiesName, writersName), Buffer.from(`${names.join('\n')}\n`))
}

/** Returns the timeline that the data continue; undefined if they begin a new one. */
export async function readTimelineOf(files: Files, dir: string): Promise<Timeline | undefined> {
  const bytes = await readIfThere(files, join(dir, copiesName, lineageName))
  if (!bytes) return undefined
  try {
    const { name, generation } = JSON.parse(Buffer.from(bytes).toString())
    return typeof name === 'string' && typeof generation === 'number' ? { name, generation } : undefined
  } catch {
    return undefined
  }
}

/** The timeline of the data, which all places share. */
export interface Timelines {
  /** Undefined before the first copy. */
  current(): Timeline | undefined
  /** Begins a timeline with a generation above `above`, unless the current one is. */
  begin(above: number): Promise<Timeline>
  /** The names of this computer, the newest last. */
  writers(): readonly string[]
}

export async function shareTimelines(files: Files, dir: string): Promise<Timelines> {
  const serialize = createSerializer()
  let timeline = await readTimelineOf(files, dir)
  let writers = await readWriters(files, dir)
  return {
    current: () => timeline,
    begin: (above) =>
      serialize(async () => {
        if (timeline && timeline.generation > above) return timeline
        timeline = await beginTimeline(files, dir, above + 1)
        writers = await readWriters(files, dir)
        return timeline
      }),
    writers: () => writers,
  }
}

/** Begins a timeline of the data. */
export async function beginTimeline(files: Files, dir: string, generation: number): Promise<Timeline> {
  const timeline = { name: timelineName(generation, randomBytes(4).toString('hex')), generation }
  await files.makeDir(join(dir, copiesName))
  await addWriter(files, dir)
  await replaceFile(files, join(dir, copiesName, lineageName), Buffer.from(`${JSON.stringify(timeline)}\n`))
  return timeline
}

/**
 * Compares the timeline of the data with those at a place. Returns the timeline to continue there; undefined: the data must begin one with a
 * generation above `above`.
 * @throws PlaceProblem `foreign`, `elsewhere`
 */
export async function timelineAt(
  target: Target,
  timeline: Timeline | undefined,
  writers: readonly string[],
): Promise<{ readonly timeline: Timeline } | { readonly above: number }> {
  await checkHead(target)
  const [newest] = await listTimelines(target.place)
  if (!newest) return timeline ? { timeline } : { above: 0 }
  if (timeline && (newest.name === timeline.name || newest.generation < timeline.generation))
    return { timeline }
  const lease = await readLease(target, newest)
  // This computer began it, and has restored a backup since.
  if (lease && writers.includes(lease.writer)) return { above: newest.generation }
  throw new PlaceProblem(
    'elsewhere',
    lease
      ? `Another computer has continued this server since ${lease.at.slice(0, 16).replace('T', ' ')} UTC.`
      : 'Another computer has continued this server.',
  )
}

/** Writes the lease of a timeline, unless it is there. */
export async function lease(target: Target, timeline: Timeline, { writer, at }: Lease): Promise<void> {
  if ((await target.place.get(leaseName(timeline))) === undefined) {
    await putJson(target, leaseName(timeline), { writer, at })
  }
}

/** Returns the lease of a timeline; undefined if it is missing or damaged. */
async function readLease({ place, sealer }: Target, timeline: Timeline): Promise<Lease | undefined> {
  const name = leaseName(timeline)
  const sealed = await place.get(name)
  if (!sealed) return undefined
  try {
    return JSON.parse(Buffer.from(await sealer.open(name, sealed)).toString())
  } catch (error) {
    if (error instanceof PlaceProblem && error.kind === 'damaged') return undefined
    throw error
  }
}

/** Makes sure that a place has copies of this server, or none. */
async function checkHead(target: Target): Promise<void> {
  const { place, sealer } = target
  const head = await readHead(place).catch(async (error: unknown) => {
    const isDamaged = error instanceof PlaceProblem && error.kind === 'damaged'
    // Cut off by the first attempt, or damaged since: then the lease is still ours.
    const [newest] = isDamaged ? await listTimelines(place) : []
    if (isDamaged && (!newest || (await readLease(target, newest)))) return undefined
    throw error
  })
  if (head === undefined) {
    await place.put(headName, Buffer.from(`${JSON.stringify({ format: 1, key: sealer.fingerprint })}\n`))
  } else if (head.key !== sealer.fingerprint) {
    throw new PlaceProblem(
      'foreign',
      'This place has the copy of another server. Choose another folder of it.',
    )
  }
}

/** Reads what a place says about its copies; undefined if it has none. @throws PlaceProblem */
export async function readHead(
  place: Pick<Target['place'], 'get'>,
): Promise<{ readonly key: string } | undefined> {
  const bytes = await place.get(headName)
  if (bytes === undefined) return undefined
  const { format, key } = parse(bytes)
  if (typeof key !== 'string')
    throw new PlaceProblem('damaged', `The object ${headName} of the copy is damaged.`)
  if (format === 1) return { key }
  throw new PlaceProblem('invalid', 'A newer version of this program made the copy. Install it first.')
}

function parse(bytes: Uint8Array): { format?: unknown; key?: unknown } {
  try {
    return JSON.parse(Buffer.from(bytes).toString()) ?? {}
  } catch {
    return {}
  }
}
