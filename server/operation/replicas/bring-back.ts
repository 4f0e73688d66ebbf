/** Restores a server from its copy at a place. */
import { join } from 'node:path'
import { restore } from '../../platform/store/backups/restore.ts'
import type { Files } from '../../platform/store/files.ts'
import { nodeFiles } from '../../platform/store/files.ts'
import { schema } from '../../platform/store/schema.ts'
import { type Chain, listTimelines, readContent, waysTo } from './catalog.ts'
import { readHead } from './lease.ts'
import { PlaceProblem } from './places/place.ts'
import { assemble, databasePath, fetchChain, fetchMedia, type Progress } from './receive.ts'
import type { Target } from './send.ts'
import { beginGeneration } from './timeline.ts'

/** In the data directory: what has been fetched, until the restore is done. */
const fetchedName = 'copy.fetched'

export interface BringBackOptions {
  readonly target: Target
  readonly dataDir: string
  /** The server as it was at that time; as it was last by default. */
  readonly at?: Date | undefined
  readonly now: () => Date
  readonly files?: Files
  readonly onProgress?: (progress: Progress) => void
}

export interface BroughtBack {
  /** Of the last change that the copy had. */
  readonly at: Date
  /** Media that the place does not have. */
  readonly missing: readonly string[]
  /** The folder with the data that were replaced. */
  readonly replaced: string | undefined
}

/** Returns the state of the server at a time, the newest by default. @throws PlaceProblem if the place has none */
export async function findChain({ place, sealer }: Target, at?: Date): Promise<Chain> {
  const head = await readHead(place)
  if (!head) throw new PlaceProblem('invalid', 'There is no copy at this place. Check its address.')
  if (head.key !== sealer.fingerprint) {
    throw new PlaceProblem(
      'foreign',
      'The key does not belong to the copy at this place. Check the recovery sheet.',
    )
  }
  for (const chain of waysTo(await readContent(place), at)) return chain
  throw new PlaceProblem('damaged', 'The copy has no complete database from before that time.')
}

/**
 * Replaces the data with the copy. A call that was interrupted goes on where it ended. The computer that the copy comes from stops
 * writing when it sees it.
 * @throws PlaceProblem, StoreLocked, StoreTooNew and other errors of `restore`; the data are unchanged then
 */
export async function bringBack(options: BringBackOptions): Promise<BroughtBack> {
  const { target, dataDir, at, now, files = nodeFiles, onProgress } = options
  const chain = await findChain(target, at)
  const [newest] = await listTimelines(target.place)
  const root = join(dataDir, fetchedName)
  // What was fetched of another state is of no use.
  const name = `${chain.base.name.replaceAll('/', '-')}-${chain.timeline.name}-${chain.seq}`
  for (const other of await files.list(root)) if (other !== name) await files.removeDir(join(root, other))
  const folder = join(root, name)
  const fetching = { files, folder, ...(onProgress && { onProgress }) }
  await fetchChain(target, chain, fetching)
  const cids = await assemble(files, folder, chain)
  const missing = await fetchMedia(target, cids, fetching)
  const replaced = await restore({ directory: dataDir, file: databasePath(folder), schema, now, files })
  const { generation } = newest ?? chain.timeline
  await beginGeneration(files, dataDir, { generation: generation + 1, seq: chain.seq })
  await files.removeDir(root)
  return { at: chain.at, missing, replaced }
}
