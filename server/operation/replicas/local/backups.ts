/** Makes the backups of a data directory. */
import { join } from 'node:path'
import { copyDatabase } from '../../../store/backups/copy-data.ts'
import type { Database } from '../../../store/database.ts'
import { whileLocked } from '../../../store/files/backup-lock.ts'
import { exists } from '../../../store/files/blob-files.ts'
import { hasSpace } from '../../../store/files/disk-space.ts'
import { type Files, nodeFiles } from '../../../store/files/files.ts'
import { databaseName } from '../../../store/files/layout.ts'
import { StoreDamaged, StoreUnavailable } from '../../../store/files/store-errors.ts'
import { compressedShare } from '../bases.ts'
import { type JobDeps, runFileJob } from '../file-jobs.ts'
import { type Backup, listBackups, removeBackup } from './list.ts'
import { removableBackups } from './local-retention.ts'
import { backupFolder, withPendingName } from './target.ts'

interface Options extends JobDeps {
  readonly dataDir: string
  readonly now: () => Date
  /** The running server; without it the data are copied as they are on disk, also beside a server in another process. */
  readonly store?: Pick<Database, 'copyTo'> | undefined
  /** Removes old backups if the disk has too little space otherwise. */
  readonly mayMakeSpace?: boolean
}

/** Media that are deleted while the database is copied make it necessary to copy it again. */
const copyAttempts = 3

/**
 * Makes a backup, and removes those that are no longer kept. Damaged pages are left out: the backup is then partial.
 * @throws StoreUnavailable with too little free space, StoreDamaged
 */
export async function makeBackup(options: Options): Promise<Backup> {
  const { dataDir, store, files = nodeFiles, signal } = options
  const database = join(dataDir, databaseName)
  if (!(await exists(files, database))) throw new StoreDamaged(database, 'is missing')
  const locked = <T>(work: () => Promise<T>) => whileLocked(files, dataDir, work, signal)
  const attempt = async () => {
    const publishing = store ? locked : <T>(work: () => Promise<T>) => work()
    const name = await withPendingName((pending) => writeBackup(options, files, pending, publishing))
    const made = (await listBackups(dataDir, files)).find((backup) => backup.name === name)
    if (made) return made
    throw new StoreUnavailable('The backup is not in its folder. Check the disk, then try again.')
  }
  // A server waits with its checkpoint for the lock of another process, and with its own copy for its checkpoint.
  return store ? attempt() : locked(attempt)
}

/** Returns the name of the base. @param locked runs work while no other process makes a backup */
async function writeBackup(
  options: Options,
  files: Files,
  pendingName: string,
  locked: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<string> {
  const { dataDir, now, store } = options
  const pending = join(backupFolder(dataDir), pendingName)
  const copyOptions = { mayBePartial: true }
  await files.makeDir(backupFolder(dataDir))
  await assertSpace(options, files)
  try {
    for (let left = copyAttempts; ; left--) {
      const at = now()
      const copy = await (store?.copyTo(pending, copyOptions) ??
        copyDatabase(files, dataDir, pending, copyOptions))
      const job = { kind: 'publish', dataDir, pending, copy, at, isLast: left === 1 } as const
      const name = await locked(() => runFileJob(options, job))
      if (name !== undefined) return name
    }
  } finally {
    await files.remove(pending).catch(() => {})
  }
}

/** Makes sure that the next backup fits on the disk. Removes older ones only if that suffices. @throws StoreUnavailable */
async function assertSpace({ dataDir, now, mayMakeSpace }: Options, files: Files): Promise<void> {
  const folder = backupFolder(dataDir)
  const needed = (await files.size(join(dataDir, databaseName)).catch(() => 0)) * compressedShare
  if (await hasSpace(files, folder, needed)) return
  const old = mayMakeSpace ? removableBackups(await listBackups(dataDir, files), now()) : []
  const freed = old.reduce((sum, { bytes }) => sum + bytes, 0)
  if (await hasSpace(files, folder, needed, freed)) {
    for (const backup of old) {
      await removeBackup(dataDir, files, backup)
      if (await hasSpace(files, folder, needed)) return
    }
  }
  throw new StoreUnavailable(
    'The disk has too little free space for a backup. Free disk space, then try again.',
  )
}
