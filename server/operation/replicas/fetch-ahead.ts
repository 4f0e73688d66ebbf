/** Fetches the files for a restore from a place while the server still runs, so that a person sees the result before anything changes. */
import { keptBlobs } from '../../store/backups/restore.ts'
import { exists } from '../../store/files/blob-files.ts'
import { nodeFiles } from '../../store/files/files.ts'
import { blobPath } from '../../store/files/layout.ts'
import { databasePath } from './assemble.ts'
import { type BringBackOptions, fetchBest, fetchedFolder, findChain } from './bring-back.ts'
import { runFileJob } from './file-jobs.ts'
import { PlaceProblem } from './places/place.ts'
import { listMedia } from './send.ts'
import type { Chain } from './ways/ways.ts'

export interface FetchedAhead {
  /** The database, as a file of SQLite. */
  readonly file: string
  /** When the last change in it was made. */
  readonly at: Date
  /** Number of media files that it names. */
  readonly media: number
  /** Number of them that both the place and the data directory lack. */
  readonly missingMedia: number
  /** Later changes that cannot be restored, in sentences. */
  readonly loss: string | undefined
}

interface Options extends Pick<BringBackOptions, 'target' | 'dataDir' | 'at' | 'files' | 'onProgress'> {
  readonly signal?: AbortSignal
}

/** Fetches a state before its restore, which goes on with the fetched files. @throws PlaceProblem */
export async function fetchAhead(options: Options): Promise<FetchedAhead> {
  const { target, dataDir, at, files = nodeFiles, onProgress } = options
  await findChain(target, at)
  const { chain, folder, cids, loss } = await fetchBest(
    { target, at, assembleIn: (folder, chain) => assembleInThread(options, folder, chain) },
    fetchedFolder(dataDir),
    { files, onProgress },
  )
  const there = await listMedia(target)
  let missingMedia = 0
  for (const cid of cids) {
    const here = await Promise.all(keptBlobs(dataDir).map((blobs) => exists(files, blobPath(blobs, cid))))
    if (!here.includes(true) && !there.has(target.sealer.hiddenName(cid))) missingMedia++
  }
  return { file: databasePath(folder), at: chain.at, media: cids.length, missingMedia, loss }
}

/** SQLite's integrity check takes seconds, while this thread serves requests. @throws PlaceProblem `damaged` */
async function assembleInThread(
  options: Options,
  folder: string,
  { seq }: Chain,
): Promise<readonly string[]> {
  const { files = nodeFiles, signal } = options
  const result = await runFileJob({ files, signal }, { kind: 'assemble', folder, seq })
  if ('cids' in result) return result.cids
  const { damage, object } = result
  throw new PlaceProblem('damaged', damage, object === undefined ? {} : { object })
}

/** Removes the files of `fetchAhead`. */
export async function removeFetched(dataDir: string, files = nodeFiles): Promise<void> {
  await files.removeDir(fetchedFolder(dataDir))
}
