/**
 * The lease of a timeline at a place, and the proof that another computer continues the server. A lease names all timelines that its
 * computer saw. The name of a timeline is random and as old as its process: only a process that lives at the same time can have seen it.
 */
import { headName, leaseName, listTimelines, type Timeline } from './catalog.ts'
import { type Place, PlaceProblem } from './places/place.ts'
import { putJson, putVerified, type Target } from './send.ts'
import type { Elsewhere, Timelines } from './timeline.ts'

/** The content of a lease. */
export interface Lease {
  /** When the timeline began, in ISO 8601. */
  readonly at: string
  /** Whether the place has changes that this computer has lost. */
  readonly lacks: boolean
  /** Names of all timelines that were listed. */
  readonly seen: readonly string[]
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

/** Returns the other computer that continues the server, if a place proves it and this computer is the one that yields. */
export async function findElsewhere(
  target: Target,
  listed: readonly Timeline[],
  timelines: Timelines,
  lacks: boolean,
): Promise<Elsewhere | undefined> {
  const { current, beganAt } = timelines
  const others = listed.filter(({ name }) => timelines.isRecent(name) || !timelines.isOurs(name))
  for (const other of others.filter(({ generation }) => generation >= current.generation)) {
    const lease = await readLease(target, other)
    const at = lease?.at ?? ''
    // It was restored from this place, or its owner has decided.
    if (other.generation > current.generation && !timelines.isOurs(other.name))
      return { timeline: other.name, at }
    if (!lease?.seen.includes(current.name)) continue
    const [ours, theirs] = [`${beganAt.toISOString()} ${current.name}`, `${at} ${other.name}`]
    if (lacks === lease.lacks ? ours > theirs : lacks) return { timeline: other.name, at }
  }
  return undefined
}

/** What a lease says for which the current one at the place is out of date. */
export async function renewLease(target: Target, timeline: Timeline, lease: Lease): Promise<void> {
  await putJson(target, leaseName(timeline), lease)
}

/**
 * Makes sure that a place has replicas of this server, or none yet. Returns false if it has no head.
 * @throws PlaceProblem `foreign`, `damaged`, `invalid`
 */
export async function checkHead(target: Target): Promise<boolean> {
  const head = await readHead(target.place).catch(async (error: unknown) => {
    const isDamaged = error instanceof PlaceProblem && error.kind === 'damaged'
    // Cut off by the first attempt, or damaged since: then the leases are still ours.
    if (isDamaged && (await isOurs(target))) return undefined
    throw error
  })
  if (head === undefined) return false
  if (head.key !== target.sealer.fingerprint) throw foreign()
  return true
}

/** Writes the head of a place. @throws PlaceProblem `foreign` if it has something that this key does not open */
export async function writeHead(target: Target): Promise<void> {
  if (!(await isOurs(target))) throw foreign()
  const head = Buffer.from(`${JSON.stringify({ format: 1, key: target.sealer.fingerprint })}\n`)
  await putVerified(target.place, headName, head)
}

async function isOurs(target: Target): Promise<boolean> {
  const listed = await listTimelines(target.place)
  for (const timeline of listed) if (await readLease(target, timeline)) return true
  return listed.length === 0
}

function foreign(): PlaceProblem {
  return new PlaceProblem(
    'foreign',
    'This place has the copy of another server. Choose another folder of it.',
  )
}

/** Reads what a place says about its copies; undefined if it has none. @throws PlaceProblem */
export async function readHead(place: Pick<Place, 'get'>): Promise<{ readonly key: string } | undefined> {
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
