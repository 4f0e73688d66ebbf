/**
 * Checks a backup by restoring it into a scratch folder, opening it as the server does and verifying its repositories. A worker
 * thread runs this.
 */
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../records/migrations.ts'
import { Database } from '../store/database.ts'
import { BackupForeign, StoreDamaged, StoreTooNew } from '../store/errors.ts'
import type { Files } from '../store/files.ts'
import { restore } from '../store/restore.ts'
import { countNamed } from '../store/tables/blobs.ts'
import { damagedRepositories } from './verify-repositories.ts'

export interface CheckJob {
  readonly file: string
  /** Folder that is created. On the disk of the backups, so that media are linked instead of copied. */
  readonly scratch: string
  readonly at: Date
}

/** Further problems are only counted. */
const maxShown = 3

/** Returns why a backup cannot be restored, in words for people; undefined if it can. Throws when that cannot be found out. */
export async function checkRestore(
  files: Files,
  { file, scratch, at }: CheckJob,
): Promise<string | undefined> {
  await files.makeDir(scratch)
  // Marks the folder as in use.
  const lock = await files.lock(scratch)
  const directory = join(scratch, 'data')
  const now = () => at
  let missing: readonly string[] = []
  const onMissingBlobs = (cids: readonly string[]) => {
    missing = cids
  }
  try {
    await restore({ directory, file, migrations: migrations.length, now, files, onMissingBlobs })
    const store = await Database.open({ directory, migrations, now, files })
    try {
      return describe([...missingMedia(countNamed(store, missing)), ...(await damagedRepositories(store))])
    } finally {
      await store.close()
    }
  } catch (error) {
    return problemOf(error)
  } finally {
    await lock.release()
  }
}

function missingMedia(count: number): string[] {
  if (count === 0) return []
  return [
    count === 1 ? 'A media file is missing or damaged.' : `${count} media files are missing or damaged.`,
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
  if (error instanceof BackupForeign) return 'It is not a backup of this program.'
  throw error
}

/** Lets all other threads go first. Only Linux has priorities of threads; elsewhere this would slow the whole program. */
export function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)
}
