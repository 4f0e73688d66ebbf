/** Restores a server from its copy at a place. */
import { join } from 'node:path'
import { schema } from '../../schema/schema.ts'
import { restore } from '../../store/backups/restore.ts'
import { type Files, nodeFiles, sizeIfThere } from '../../store/files/files.ts'
import { StoreDamaged } from '../../store/files/store-errors.ts'
import type { Reader } from '../../store/pages/reader.ts'
import { assemble, databasePath, declaredSize } from './assemble.ts'
import { type Content, generationOf, newestGeneration, readContent } from './catalog.ts'
import { assertOpens } from './lease.ts'
import { isDamaged, PlaceProblem } from './places/place.ts'
import { fetchChain, fetchMedia, localName, type Progress, readEnd } from './receive.ts'
import type { Target } from './send.ts'
import { beginGeneration } from './timeline.ts'
import { type Chain, isAt, limitsOf, waysTo } from './ways.ts'

/** The folder of fetched files, until the restore is done. */
export function fetchedFolder(dataDir: string): string {
  return join(dataDir, 'copy.fetched')
}

/** The losses of a restore: changes after the restored state, or media. */
export type LossOf = 'changes' | 'media'

export interface BringBackOptions {
  readonly target: Target
  readonly dataDir: string
  /** The time of the state to restore; the newest by default. */
  readonly at?: Date | undefined
  /** The name of a base: the server as that has it. */
  readonly base?: string | undefined
  readonly now: () => Date
  readonly files?: Files
  /**
   * Gets a loss as sentences, before anything changes; return true to go on. Without it a loss is an
   * error with these sentences, and missing media are only returned.
   */
  readonly confirmLoss?: (loss: string, of: LossOf) => Promise<boolean>
  /** Called when everything is verified, before anything changes; an error ends the restore. */
  readonly beforeCommit?: () => Promise<void>
  readonly onProgress?: (progress: Progress) => void
  /** May look into the database and the way to it, before `confirmLoss`. */
  readonly onOpened?: ((sqlite: Reader, chain: Chain) => void) | undefined
}

export interface BroughtBack {
  /** Of the last change that the copy had. */
  readonly at: Date
  /** Media that both the place and the replaced data lack. They are marked as missing. */
  readonly missing: readonly string[]
  /** The folder with the data that were replaced. */
  readonly replaced: string | undefined
}

/** Returns the state of the server at a time, the newest by default. @throws PlaceProblem if the place has none */
export async function findChain(target: Target, at?: Date): Promise<Chain> {
  // The backups of the data directory need no key.
  if (target.mediaFolder === undefined) await assertOpens(target)
  for (const chain of waysTo(await readContent(target), at)) return chain
  throw new PlaceProblem('damaged', 'The copy has no complete database from before that time.')
}

/**
 * Replaces the data with the newest state of which everything is intact. A call that was interrupted goes on where it ended. The computer
 * that the copy comes from stops writing when it sees it.
 * @throws PlaceProblem, StoreLocked, StoreTooNew and other errors of `restore`; the data are unchanged then
 */
export async function bringBack(options: BringBackOptions): Promise<BroughtBack> {
  const { dataDir, files = nodeFiles } = options
  await files.makeDir(dataDir)
  const lock = await files.lock(dataDir)
  try {
    return await bringBackLocked(options)
  } catch (error) {
    // Those of backups are links: a next call needs nothing of them, and the disk may be full.
    if (options.target.mediaFolder !== undefined)
      await files.removeDir(fetchedFolder(dataDir)).catch(() => {})
    throw error
  } finally {
    await lock.release()
  }
}

async function bringBackLocked(options: BringBackOptions): Promise<BroughtBack> {
  const { target, dataDir, at, now, files = nodeFiles, onProgress } = options
  await findChain(target, at)
  const root = fetchedFolder(dataDir)
  const assembleIn = (folder: string, chain: Chain) =>
    assemble(files, folder, chain, (sqlite) => options.onOpened?.(sqlite, chain))
  const fetching = { files, onProgress }
  const { chain, folder, cids, loss } = await fetchBest({ ...options, assembleIn }, root, fetching)
  if (loss !== undefined) await confirm(options, loss, 'changes')
  const { mediaFolder } = target
  // The segments may have made it larger.
  const size = await files.size(databasePath(folder))
  if (mediaFolder !== undefined) await assertSpace(files, folder, 2 * size)
  else {
    const onSize = (bytes: number) => assertSpace(files, folder, 2 * size + bytes)
    const lacking = await fetchMedia(target, cids, { ...fetching, folder, onSize })
    // The listing may have been short.
    if (lacking.length > 0) await fetchMedia(target, lacking, { files, folder })
  }
  // Before anything changes: the place may fail.
  const above = mediaFolder === undefined ? await newestGeneration(target) : 0
  let missing: readonly string[] = []
  const replaced = await restore({
    ...{ directory: dataDir, file: databasePath(folder), schema, now, files, isLocked: true },
    ...(mediaFolder === undefined
      ? { replicaKey: target.sealer.fingerprint }
      : { blobFolders: [mediaFolder] }),
    async onMissingBlobs(lost) {
      missing = lost
      if (lost.length > 0 && options.confirmLoss)
        await confirm(options, `The copy lacks ${lost.length} of ${cids.length} media files.`, 'media')
      await options.beforeCommit?.()
    },
  })
  if (mediaFolder === undefined) {
    const generation = Math.max(chain.timeline.generation, above) + 1
    await beginGeneration(files, dataDir, { generation, seq: chain.seq })
  }
  await files.removeDir(root)
  return { at: chain.at, missing, replaced }
}

async function confirm({ confirmLoss }: BringBackOptions, loss: string, of: LossOf): Promise<void> {
  if (!confirmLoss) throw new PlaceProblem('damaged', loss)
  if (!(await confirmLoss(loss, of))) throw new Error('Nothing was changed.')
}

interface Fetched {
  readonly chain: Chain
  readonly folder: string
  readonly cids: readonly string[]
  readonly loss: string | undefined
}

interface FetchBestOptions extends Pick<BringBackOptions, 'target' | 'at' | 'base'> {
  /** Puts the fetched state together, and returns the CIDs of its media. */
  readonly assembleIn: (folder: string, chain: Chain) => Promise<readonly string[]>
}

/** Fetches the newest state and puts it together. Damaged objects are left out; the best remaining way is taken. */
export async function fetchBest(
  { target, at, base, assembleIn }: FetchBestOptions,
  root: string,
  fetching: Omit<Parameters<typeof fetchChain>[2], 'folder'>,
): Promise<Fetched> {
  const { files } = fetching
  const damaged = new Set<string>()
  /** Segments that an earlier call may have fetched. */
  const fetchedAgain = new Set<string>()
  for (let content = await readContent(target), isSecond = false; ; ) {
    const intact = without(content, damaged, base)
    const [chain] = waysTo(intact, at)
    if (!chain) {
      throw new PlaceProblem(
        'damaged',
        base === undefined
          ? 'The copy has no complete database from that time that is intact.'
          : 'This backup is damaged or incomplete. Restore another one.',
      )
    }
    const loss = base === undefined ? lossOf(content, chain, at) : undefined
    if (loss !== undefined && !isSecond) {
      // The listing may have been short.
      content = await readContent(target)
      isSecond = true
      continue
    }
    // Files of another database are useless.
    const name = chain.base.name.replaceAll('/', '-')
    for (const other of await files.list(root)) if (other !== name) await files.removeDir(join(root, other))
    const folder = join(root, name)
    try {
      await assertFits(files, target, chain, folder)
      await fetchChain(target, chain, { ...fetching, folder })
      await assertSpace(files, folder, 2 * (await declaredSize(files, folder)))
      return { chain, folder, cids: await assembleIn(folder, chain), loss }
    } catch (error) {
      if (!isDamaged(error) && !(error instanceof StoreDamaged)) throw error
      const object = isDamaged(error) ? error.object : undefined
      const segment = chain.segments.find((link) => object === link.name || object === localName(link))
      const isHere = segment !== undefined && object === localName(segment)
      if (isHere && !fetchedAgain.has(segment.name)) fetchedAgain.add(segment.name)
      else damaged.add(segment?.name ?? chain.base.name)
    }
  }
}

/** Makes sure that the disk has space for what is fetched, and for the database twice: here, and where it is restored. @throws PlaceProblem */
async function assertFits(
  files: Files,
  target: Target,
  { base, segments }: Chain,
  folder: string,
): Promise<void> {
  const { bytes: size = base.bytes } = await readEnd(target, base.name)
  const isLinked = target.mediaFolder !== undefined
  const fetched = isLinked ? 0 : segments.reduce((sum, { bytes }) => sum + bytes, base.bytes)
  await assertSpace(files, folder, 2 * size + fetched, isLinked ? [] : ['parts', 'segments'])
}

/** @param reused names of folders beside the database that count as free, as the database does @throws PlaceProblem `local` */
async function assertSpace(
  files: Files,
  folder: string,
  bytes: number,
  reused: readonly string[] = [],
): Promise<void> {
  await files.makeDir(folder)
  let needed = bytes - ((await sizeIfThere(files, databasePath(folder))) ?? 0)
  for (const name of reused) needed -= (await files.measureDir(join(folder, name)))?.bytes ?? 0
  if ((await files.freeBytes(folder)) >= needed) return
  const megabytes = Math.ceil(needed / 1_000_000)
  throw new PlaceProblem(
    'local',
    `The copy needs ${megabytes} MB, more than the disk has free. Free disk space, or choose a data folder on another disk.`,
  )
}

/** @param base the only one that counts, without what continues it */
function without(content: Content, damaged: ReadonlySet<string>, base: string | undefined): Content {
  const isIntact = ({ name }: { name: string }) => !damaged.has(name)
  const bases = content.bases.filter((each) => isIntact(each) && (base ?? each.name) === each.name)
  return { ...content, bases, segments: base === undefined ? content.segments.filter(isIntact) : [] }
}

/** Earlier states of other timelines that a sentence about a loss names, at most. */
const statesInLoss = 3

/** Says until when a way leads, and what of later changes is listed; undefined if there is nothing later. */
function lossOf(content: Content, chain: Chain, until: Date | undefined): string | undefined {
  const { timeline, seq, at } = chain
  // The time of a listed state names it, whatever its generation.
  if (isAt(chain, until)) return undefined
  const isChosen = (one: { at: Date }) => isAt(one, until)
  const limits = limitsOf(content.timelines, timeline)
  const isNewer = (one: { timeline: string; at: Date } & ({ to: number } | { seq: number })) => {
    const generation = generationOf(one.timeline)
    if (until !== undefined && one.at > until) return false
    if (isChosen(one)) return true
    // Its time may be of a clock that was ahead.
    const last = 'to' in one ? one.to : one.seq
    if (last <= Math.min(seq, limits.get(one.timeline) ?? -1)) return false
    return generation > timeline.generation || (generation === timeline.generation && one.at > at)
  }
  const bases = [...content.bases, ...content.unfinished].filter(
    (base) =>
      isNewer(base) &&
      (isChosen(base) || base.seq > seq || generationOf(base.timeline) > timeline.generation),
  )
  const later = [...bases, ...[...content.segments, ...content.cut].filter(isNewer)]
  if (later.length === 0) return undefined
  const newest = new Date(Math.max(...later.map((one) => one.at.getTime())))
  const others = new Map<string, Date>()
  for (const way of waysTo(content, until)) {
    if (way.timeline.name !== timeline.name && !others.has(way.timeline.name) && way.at < at) {
      others.set(way.timeline.name, way.at)
    }
    if (others.size === statesInLoss) break
  }
  const sentences = [
    `The copy can be restored as of ${minuteOf(at)}.`,
    `${later.length} object${later.length === 1 ? '' : 's'} with later changes cannot be used, because some are damaged or missing. The newest change in them is of ${minuteOf(newest)}.`,
  ]
  if (others.size > 0) {
    const times = [...others.values()].map(minuteOf)
    sentences.push(`Earlier states of it end at ${times.join(', ')}.`)
  }
  return sentences.join(' ')
}

function minuteOf(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
