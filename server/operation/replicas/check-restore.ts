/**
 * Checks a backup by restoring it into a scratch folder, opening it as the server does and verifying its repositories. A worker
 * thread runs this.
 */
import { join } from 'node:path'
import { namedAmong } from '../../repository/tables/blobs.ts'
import * as damaged from '../../repository/tables/damaged-blobs.ts'
import { schema } from '../../schema/schema.ts'
import type { CheckOptions } from '../../store/backups/read-backup.ts'
import { restore } from '../../store/backups/restore.ts'
import { type Summary, summarizeFile } from '../../store/backups/summary.ts'
import { Database } from '../../store/database.ts'
import { blobsIn, exists, isIntact } from '../../store/files/blob-files.ts'
import type { Files } from '../../store/files/files.ts'
import { blobPath, blobsName } from '../../store/files/layout.ts'
import {
  BackupForeign,
  StoreDamaged,
  StoreForTests,
  StoreTooNew,
  StoreTooOld,
} from '../../store/files/store-errors.ts'
import { seqOf } from '../../store/pages/database-file.ts'
import type { Reader } from '../../store/pages/reader.ts'
import { assemble, databasePath } from './assemble.ts'
import type { MissingMedia } from './local/proof.ts'
import { PlaceProblem } from './places/place.ts'
import { damagedRepositories } from './verify-repositories.ts'

export interface CheckJob extends Pick<CheckOptions, 'blobFolders' | 'sha256'> {
  readonly file: string
  /** Folder that is created. On the disk of the backups, so that media are linked instead of copied. */
  readonly scratch: string
  readonly at: Date
  /** Folder of the media that the server serves: the backup's media are compared with them. */
  readonly media?: string
  /** The last transaction that its name says. */
  readonly seq?: number
  /** Leaves media out: the backup has none beside it. */
  readonly withoutMedia?: boolean
}

export interface CheckResult {
  /** Why the backup cannot be restored, in words for people; undefined if it can. */
  readonly problem: string | undefined
  readonly missing: MissingMedia | undefined
  /** CIDs of blobs that are missing or damaged in the backup or at the server. */
  readonly suspects: readonly string[]
}

/** Further problems are only counted. */
const maxShown = 3
const maxCids = 100

/** Restores and verifies a backup. Throws when it cannot be found out whether it can be restored. */
export async function checkRestore(
  files: Files,
  { scratch, at, media, seq, withoutMedia, ...backup }: CheckJob,
): Promise<CheckResult> {
  await files.makeDir(scratch)
  // Marks the folder as in use.
  const lock = await files.lock(scratch)
  const directory = join(scratch, 'data')
  const now = () => at
  let missing: readonly string[] = []
  const onMissingBlobs = (cids: readonly string[]) => {
    if (!withoutMedia) missing = cids
  }
  const onOpened = (sqlite: Reader) => {
    if (seq !== undefined && seqOf(sqlite) !== seq)
      throw new StoreDamaged(backup.file, 'is that of another backup')
  }
  try {
    await restore({ ...backup, directory, schema, now, files, onOpened, onMissingBlobs })
    const store = await Database.open({ directory, schema, now, files })
    try {
      const lost = namedAmong(store, missing)
      // The restore has marked the ones that are missing.
      const named = withoutMedia ? [] : namedAmong(store, damaged.all(store)).toSorted()
      return {
        problem: describe([...missingMedia(lost), ...(await damagedRepositories(store))]),
        missing: named.length > 0 ? { count: named.length, cids: named.slice(0, maxCids) } : undefined,
        suspects: media === undefined ? [] : await suspectsIn(files, directory, media, missing),
      }
    } finally {
      await store.close()
    }
  } catch (error) {
    return { problem: problemOf(error), missing: undefined, suspects: [] }
  } finally {
    await lock.release()
  }
}

interface AssembledJob {
  /** The folder of `fetchChain`. */
  readonly folder: string
  /** The state of the store when the proof began. */
  readonly store: Summary
  readonly at: Date
}

export interface AssembledResult {
  readonly problem: string | undefined
  /** CIDs of its media. */
  readonly cids: readonly string[]
}

/** Puts a fetched copy together, and compares it with the data of this computer. */
export async function checkAssembled(
  files: Files,
  { folder, store, at }: AssembledJob,
): Promise<AssembledResult> {
  try {
    const cids = await assemble(files, folder, store)
    const { sha256 } = await summarizeFile(files, databasePath(folder))
    if (sha256 !== store.sha256) {
      return { problem: `The copy differs from the data of this computer at transaction ${store.seq}.`, cids }
    }
    const job = { file: databasePath(folder), scratch: join(folder, 'check'), at, withoutMedia: true }
    return { problem: (await checkRestore(files, job)).problem, cids }
  } catch (error) {
    if (!(error instanceof PlaceProblem || error instanceof StoreDamaged)) throw error
    return { problem: error.message, cids: [] }
  }
}

/** Returns the missing blobs, and restored ones whose file at the server differs and is damaged. */
async function suspectsIn(
  files: Files,
  directory: string,
  media: string,
  missing: readonly string[],
): Promise<string[]> {
  const suspects = [...missing]
  const restored = join(directory, blobsName)
  for await (const cids of blobsIn(files, restored)) {
    for (const cid of cids) {
      const path = blobPath(media, cid)
      // The restored file, which is intact, is a link of that of the backup.
      const isShared = (await exists(files, path)) && (await files.isSame(path, blobPath(restored, cid)))
      if (!isShared && !(await isIntact(files, path, cid))) suspects.push(cid)
    }
  }
  return suspects
}

function missingMedia(cids: readonly string[]): string[] {
  if (cids.length === 0) return []
  const names = cids.slice(0, maxShown).join(', ') + (cids.length > maxShown ? ', …' : '')
  return [
    cids.length === 1
      ? `A media file is missing or damaged: ${names}.`
      : `${cids.length} media files are missing or damaged: ${names}.`,
  ]
}

function describe(problems: readonly string[]): string | undefined {
  if (problems.length === 0) return undefined
  const more = problems.length - maxShown
  return [...problems.slice(0, maxShown), ...(more > 0 ? [`There are ${more} more problems.`] : [])].join(' ')
}

/** Rethrows errors that do not come from the backup, such as a full disk. */
function problemOf(error: unknown): string {
  if (error instanceof StoreDamaged) return `The file ${error.reason}.`
  if (error instanceof StoreTooNew) return 'A newer version of this program made it.'
  if (error instanceof StoreTooOld)
    return 'A version of this program from before its first release made it, which this one cannot open.'
  if (error instanceof StoreForTests)
    return 'It belongs to a network for tests, whose keys and passwords are public.'
  if (error instanceof BackupForeign) return 'It is not a backup of this program.'
  throw error
}
