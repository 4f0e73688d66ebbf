/** Restores a server from its copy at a place. */
import { join } from 'node:path'
import { schema } from '../../schema/schema.ts'
import { restore } from '../../store/backups/restore.ts'
import { type Files, nodeFiles, sizeIfThere } from '../../store/files/files.ts'
import { StoreDamaged } from '../../store/files/store-errors.ts'
import type { Reader } from '../../store/pages/reader.ts'
import { assemble, databasePath, declaredSize } from './assemble.ts'
import { type Content, newestGeneration, readContent } from './catalog.ts'
import { assertOpens } from './lease.ts'
import { lossOf } from './loss.ts'
import { isDamaged, PlaceProblem } from './places/place.ts'
import { fetchChain, fetchMedia, localName, type Progress, readEnd } from './receive.ts'
import type { Target } from './send.ts'
import { rootAbove } from './timeline.ts'
import { type Chain, waysTo } from './ways/ways.ts'

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
   * Gets a loss as sentences, before anything changes; return true to go on. If absent, a loss is an error
   * with these sentences, and missing media are only returned.
   */
  readonly confirmLoss?: (loss: string, of: LossOf) => Promise<boolean>
  /** Called when everything is verified, before anything changes; an error ends the restore. */
  readonly beforeCommit?: () => Promise<void>
  readonly onProgress?: (progress: Progress) => void
  /** May look into the database and the way to it, before `confirmLoss`. */
  readonly onOpened?: ((sqlite: Reader, chain: Chain) => void) | undefined
}

export interface BroughtBack {
  /** Time of the last change that the copy had. */
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
  const continued = mediaFolder === undefined ? await continuedBy(options, chain) : {}
  let missing: readonly string[] = []
  const replaced = await restore({
    ...{ directory: dataDir, file: databasePath(folder), schema, now, files, isLocked: true },
    ...continued,
    ...(mediaFolder !== undefined && { blobFolders: [mediaFolder] }),
    async onMissingBlobs(lost) {
      missing = lost
      if (lost.length > 0 && options.confirmLoss)
        await confirm(options, `The copy lacks ${lost.length} of ${cids.length} media files.`, 'media')
      await options.beforeCommit?.()
    },
  })
  await files.removeDir(root)
  return { at: chain.at, missing, replaced }
}

/** Returns how the data continue the copy of a place. */
async function continuedBy({ target, dataDir, files = nodeFiles }: BringBackOptions, chain: Chain) {
  const above = Math.max(chain.timeline.generation, await newestGeneration(target))
  const timelines = await rootAbove(files, dataDir, above, chain.seq)
  return { replicaKey: target.sealer.fingerprint, timelines }
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
          ? 'The copy has no complete and intact database from that time.'
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
