/**
 * The lease of a timeline at a place, and the proof that another computer continues the server. A lease names all timelines that its
 * computer saw. The name of a timeline is random and as old as its process: only a process that lives at the same time can have seen it.
 */
import { parseJson } from '../../util/json.ts'
import { basesFolder, endName, headName, leaseName, listTimelines, type Timeline } from './catalog.ts'
import { ifUndamaged, isDamaged, type Place, PlaceProblem } from './places/place.ts'
import { getObject } from './receive.ts'
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
async function readLease(target: Target, timeline: Timeline): Promise<Lease | undefined> {
  const content = await ifUndamaged(() => getObject(target, leaseName(timeline)))
  return content && JSON.parse(Buffer.from(content).toString())
}

/**
 * Returns the other computer that continues the server, if a place proves it and this computer is the one that yields.
 * @param ahead earlier timelines of which the place has more than this disk
 */
export async function findElsewhere(
  target: Target,
  listed: readonly Timeline[],
  timelines: Timelines,
  lacks: boolean,
  ahead: ReadonlySet<string> = new Set(),
): Promise<Elsewhere | undefined> {
  const { current, beganAt } = timelines
  const mayRun = (name: string) => timelines.isRecent(name) || ahead.has(name) || !timelines.isOurs(name)
  const others = listed.filter(({ name }) => mayRun(name))
  for (const other of others.filter(({ generation }) => generation >= current.generation)) {
    const lease = await readLease(target, other)
    // A name can be made by anyone who writes there, or by damage.
    if (!lease) continue
    const { at } = lease
    // It was restored from this place, or its owner has decided.
    if (other.generation > current.generation && !timelines.isOurs(other.name))
      return { timeline: other.name, at }
    if (!lease.seen.includes(current.name)) continue
    const [ours, theirs] = [`${beganAt.toISOString()} ${current.name}`, `${at} ${other.name}`]
    if (lacks === lease.lacks ? ours > theirs : lacks) return { timeline: other.name, at }
  }
  return undefined
}

/** Puts the lease of a timeline at a place that has none, another one or a damaged one: without it other computers would go on. */
export async function keepLease(target: Target, timeline: Timeline, lease: Lease): Promise<void> {
  const there = await readLease(target, timeline)
  if (JSON.stringify(there) !== JSON.stringify(lease)) await putJson(target, leaseName(timeline), lease)
}

/**
 * Makes sure that a place has replicas of this server, or none yet. Returns false if its head has to be written.
 * @throws PlaceProblem `foreign`, `damaged`, `invalid`
 */
export async function checkHead(target: Target): Promise<boolean> {
  const { key, error } = await keyOf(target.place)
  if (key === target.sealer.fingerprint) return true
  if (key === undefined && error === undefined) return false
  // Cut off by the first attempt, or damaged since.
  if (await hasOurs(target)) return false
  if (error && (await listTimelines(target.place)).length > 0) throw error
  if (key !== undefined) throw foreign()
  return false
}

/** Writes the head of a place. @throws PlaceProblem `foreign` if it has something that this key does not open */
export async function writeHead(target: Target): Promise<void> {
  const isEmpty = (await listTimelines(target.place)).length === 0
  if (!isEmpty && !(await hasOurs(target))) throw foreign()
  const head = Buffer.from(`${JSON.stringify({ format: 1, key: target.sealer.fingerprint })}\n`)
  await putVerified(target.place, headName, head)
}

/**
 * Makes sure that a key opens the copy at a place, also if the head there is damaged or lost.
 * @throws PlaceProblem `invalid` if there is no copy, `foreign`, `damaged`
 */
export async function assertOpens(target: Target): Promise<void> {
  const { key, error } = await keyOf(target.place)
  if (key === target.sealer.fingerprint || (await hasOurs(target))) return
  if (error) throw error
  if (key === undefined)
    throw new PlaceProblem('invalid', 'There is no copy at this place. Check its address.')
  throw new PlaceProblem(
    'foreign',
    'The key does not belong to the copy at this place. Check the recovery sheet.',
  )
}

/** Returns the key that the head of a place names, or why that cannot be read. */
async function keyOf(place: Target['place']): Promise<{ key?: string; error?: PlaceProblem }> {
  try {
    return (await readHead(place)) ?? {}
  } catch (error) {
    if (isDamaged(error)) return { error }
    throw error
  }
}

/** Whether the key opens a lease, or the end of a base. */
async function hasOurs(target: Target): Promise<boolean> {
  for (const timeline of await listTimelines(target.place)) if (await readLease(target, timeline)) return true
  for (const { name } of await target.place.list(basesFolder))
    if (await ifUndamaged(() => getObject(target, endName(`${basesFolder}/${name}`)))) return true
  return false
}

function foreign(): PlaceProblem {
  return new PlaceProblem(
    'foreign',
    'This place has the copy of another server. Choose another folder there.',
  )
}

/**
 * Reads what a place says about its copies; undefined if it has none. Later formats state their number twice, so that a flipped bit in that of
 * this one reads as damage. @throws PlaceProblem
 */
export async function readHead(place: Pick<Place, 'get'>): Promise<{ readonly key: string } | undefined> {
  const bytes = await place.get(headName)
  if (bytes === undefined) return undefined
  const head = (parseJson(Buffer.from(bytes)) ?? {}) as Readonly<Record<string, unknown>>
  const { format, formatAgain, key } = head
  const isNewer = typeof format === 'number' && format > 1 && formatAgain === format
  if (typeof key !== 'string' || (format !== 1 && !isNewer))
    throw new PlaceProblem('damaged', `The object ${headName} of the copy is damaged.`)
  if (!isNewer) return { key }
  throw new PlaceProblem('invalid', 'A newer version of this program made the copy. Install it first.')
}
