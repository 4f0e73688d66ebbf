/**
 * Restores a backup. The replaced files are kept in `replaced-<time>/` for a while; see `replaced.ts`.
 *
 * The backup is first copied beside the data: its blobs to `blobs.restored/`, then its database to `pds.sqlite.restored`.
 * The database commits the restore: if it is interrupted afterwards, the next start finishes it.
 */
import { basename, dirname, join } from 'node:path'
import { finishRestore, finishUndo } from '../database/finish-restore.ts'
import type { Schema } from '../database/migrate.ts'
import { exists } from '../files/blob-files.ts'
import { type Files, nodeFiles, replaceJson } from '../files/files.ts'
import {
  backupsName,
  blobsName,
  checkpointName,
  checksumsName,
  databaseName,
  journalSeqs,
  replacingName,
  restoredBlobsName,
  restoredKeyName,
  restoredName,
  restoredTimelinesName,
  undoingName,
} from '../files/layout.ts'
import { readReplicaKey, writeReplicaKey } from '../files/replica-key-file.ts'
import { putPages } from '../pages/checkpoint.ts'
import type { Reader } from '../pages/reader.ts'
import { markBlobs } from './backup-blobs.ts'
import { type CheckOptions, readBackup } from './read-backup.ts'
import { lockReplaced } from './replaced.ts'

export interface RestoreOptions extends Pick<CheckOptions, 'blobFolders' | 'sha256'> {
  readonly directory: string
  /** An SQLite backup or a one-file backup. */
  readonly file: string
  /** Decrypts a one-file backup. */
  readonly passphrase?: string | undefined
  readonly schema: Schema
  readonly now: () => Date
  readonly files?: Files
  /** Whether the caller holds the lock. */
  readonly isLocked?: boolean
  /** Fingerprint of the key of the copies that the restored data continue; by default those that the present data have. */
  readonly replicaKey?: string | undefined
  /** The timeline with which their copies begin, as JSON; by default they continue those of the present data. */
  readonly timelines?: unknown
  /** May look into the database before the restore is committed. */
  readonly onOpened?: (sqlite: Reader) => void
  /** Called with the blobs that are lost, before the restore is committed; an error ends it. */
  readonly onMissingBlobs?: (cids: readonly string[]) => void | Promise<void>
}

/**
 * Replaces the data with a backup. Blobs that the backup lacks are taken from `keptBlobs`, if they are there, or else marked as missing,
 * so that their files can follow.
 * Returns the folder with the replaced files, or undefined when there were none. Throws StoreLocked while a server runs
 * there, and the errors of `readBackup`; the data is unchanged then.
 */
export async function restore(options: RestoreOptions): Promise<string | undefined> {
  const { directory: dir, file, files = nodeFiles } = options
  await refuseParts(files, file)
  return replaceData(options, async (databaseTo, blobsTo) => {
    const blobFolders = [...(options.blobFolders ?? []), ...keptBlobs(dir)]
    await readBackup(file, databaseTo, { ...options, blobsTo, blobFolders }, async (content, opened) => {
      options.onOpened?.(opened.sqlite)
      await options.onMissingBlobs?.(content.missingBlobs)
      markBlobs(opened.sqlite, content.missingBlobs, options.now())
      await putPages(files, databaseTo, opened.overlay.takeChanges())
    })
    return true
  })
}

/** Returns the folders of a data directory that may have blobs which a backup lacks: its own, and that of the backups. */
export function keptBlobs(dir: string): string[] {
  return [join(dir, blobsName), join(dir, backupsName, blobsName)]
}

/** A database alone lacks the transactions in the files beside it. */
async function refuseParts(files: Files, file: string): Promise<void> {
  if (basename(file) !== databaseName) return
  const beside = await files.list(dirname(file))
  if (journalSeqs(beside).length === 0 && !beside.some((name) => others.has(name))) return
  throw new Error(
    `${file} belongs together with the files beside it: alone it lacks changes. "npm run restore -- --undo NAME" puts a folder of replaced data back whole.`,
  )
}

const others = new Set([checkpointName, checksumsName])

/**
 * Replaces the data with the database and the blobs that `write` writes; unchanged if it returns false. Returns the folder with the
 * replaced files, or undefined when there were none. @throws StoreLocked while a server runs there
 */
export async function replaceData(
  options: Pick<RestoreOptions, 'directory' | 'now' | 'files' | 'isLocked' | 'replicaKey' | 'timelines'>,
  write: (databaseTo: string, blobsTo: string) => Promise<boolean>,
): Promise<string | undefined> {
  const { directory: dir, now, isLocked, files = nodeFiles } = options
  await files.makeDir(dir)
  const lock = isLocked ? undefined : await files.lock(dir)
  const blobsTo = join(dir, restoredBlobsName)
  try {
    const interrupted = await finishRestore(files, dir, now())
    await files.removeDir(blobsTo)
    await files.makeDir(blobsTo)
    const temporary = join(dir, `${restoredName}.tmp`)
    if (!(await write(temporary, blobsTo))) {
      await files.removeDir(blobsTo)
      return undefined
    }
    const key = options.replicaKey ?? (await readReplicaKey(dir, files))
    if (key !== undefined) await writeReplicaKey(dir, key, files, restoredKeyName)
    if (options.timelines !== undefined)
      await replaceJson(files, join(dir, restoredTimelinesName), options.timelines)
    await files.rename(temporary, join(dir, restoredName))
    await files.syncDir(dir)
    return (await finishRestore(files, dir, now())) ?? interrupted
  } catch (error) {
    if (!(await exists(files, join(dir, restoredName)))) await files.removeDir(blobsTo)
    throw error
  } finally {
    await lock?.release()
  }
}

/**
 * Puts a folder of replaced data back whole. Returns the folder with the data that were there.
 * @throws StoreLocked while a server runs there
 */
export async function undoRestore(
  { directory: dir, now, files = nodeFiles }: Pick<RestoreOptions, 'directory' | 'now' | 'files'>,
  folder: string,
): Promise<string> {
  const lock = await files.lock(dir)
  try {
    const isInterrupted = await exists(files, join(dir, undoingName))
    await finishRestore(files, dir, now())
    if (isInterrupted) throw new Error('An undo that was interrupted is finished now.')
    await commitUndo(files, dir, folder)
    return (await finishUndo(files, dir, now())) ?? dir
  } finally {
    await lock.release()
  }
}

/** Moves a folder of replaced data to the name that commits an undo. Meanwhile `deleteReplaced` leaves it alone. */
async function commitUndo(files: Files, dir: string, folder: string): Promise<void> {
  const hasDatabase = () => exists(files, join(folder, databaseName))
  const lock = (await hasDatabase()) ? await lockReplaced(files, folder) : undefined
  try {
    if (!(lock && (await hasDatabase()))) throw new Error(`${folder} has no database. Nothing was changed.`)
    await files.makeDir(join(dir, replacingName))
    await files.syncDir(dir)
    await files.rename(folder, join(dir, undoingName))
    await files.syncDir(dir)
  } finally {
    await lock?.release()
  }
}

/**
 * Finishes a restore or an undo that was interrupted, as the next start does. Returns which it was; undefined if there is none.
 * @throws StoreLocked
 */
export async function finishInterrupted({
  directory: dir,
  now,
  files = nodeFiles,
}: Pick<RestoreOptions, 'directory' | 'now' | 'files'>): Promise<'restore' | 'undo' | undefined> {
  const isUndo = await exists(files, join(dir, undoingName))
  if (!isUndo && !(await exists(files, join(dir, restoredName)))) return undefined
  const lock = await files.lock(dir)
  try {
    await finishRestore(files, dir, now())
    return isUndo ? 'undo' : 'restore'
  } finally {
    await lock.release()
  }
}
