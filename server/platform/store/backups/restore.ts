/**
 * Restores a backup. The replaced files are kept in `replaced-<time>/` for a while; see `replaced.ts`.
 *
 * The backup is first copied beside the data: its blobs to `blobs.restored/`, then its database to `pds.sqlite.restored`.
 * The database commits the restore: if it is interrupted afterwards, the next start finishes it.
 */
import { join } from 'node:path'
import { exists } from '../blob-files.ts'
import { type Files, nodeFiles } from '../files.ts'
import { forgetCopies } from '../journal/retire.ts'
import {
  blobsName,
  databaseName,
  isData,
  replacedName,
  restoredBlobsName,
  restoredMarkName,
  restoredName,
} from '../layout.ts'
import type { Schema } from '../migrate.ts'
import { putPages } from '../pages/checkpoint.ts'
import { forgetBlobs, markBlobs } from './backup-blobs.ts'
import { readBackup } from './read-backup.ts'

export interface RestoreOptions {
  readonly directory: string
  /** An SQLite backup or a one-file backup. */
  readonly file: string
  /** Decrypts a one-file backup. */
  readonly passphrase?: string | undefined
  readonly schema: Schema
  readonly now: () => Date
  readonly files?: Files
  /** Keeps the rows of missing blobs, marked as missing, so that their files can follow. Otherwise the rows are deleted. */
  readonly keepsMissing?: boolean
  /** Called with the blobs that are lost, before the restore is committed. */
  readonly onMissingBlobs?: (cids: readonly string[]) => void
}

/**
 * Replaces the data with a backup. Blobs that the backup lacks are taken from the replaced data, if they are there.
 * Returns the folder with the replaced files, or undefined when there were none. Throws StoreLocked while a server runs
 * there, and the errors of `readBackup`; the data is unchanged then.
 */
export async function restore(options: RestoreOptions): Promise<string | undefined> {
  const { directory: dir, file, files = nodeFiles } = options
  return replaceData(options, async (databaseTo, blobsTo) => {
    const blobFolders = [join(dir, blobsName)]
    await readBackup(file, databaseTo, { ...options, blobsTo, blobFolders }, async (content, opened) => {
      options.onMissingBlobs?.(content.missingBlobs)
      if (options.keepsMissing) markBlobs(opened.sqlite, content.missingBlobs, options.now())
      else forgetBlobs(opened.sqlite, content.missingBlobs)
      await putPages(files, databaseTo, opened.overlay.takeChanges())
    })
    return true
  })
}

/**
 * Replaces the data with the database and the blobs that `write` writes; unchanged if it returns false. Returns the folder with the
 * replaced files, or undefined when there were none. @throws StoreLocked while a server runs there
 */
export async function replaceData(
  { directory: dir, now, files = nodeFiles }: Pick<RestoreOptions, 'directory' | 'now' | 'files'>,
  write: (databaseTo: string, blobsTo: string) => Promise<boolean>,
): Promise<string | undefined> {
  await files.makeDir(dir)
  const lock = await files.lock(dir)
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
    await files.rename(temporary, join(dir, restoredName))
    await files.syncDir(dir)
    return (await finishRestore(files, dir, now())) ?? interrupted
  } catch (error) {
    if (!(await exists(files, join(dir, restoredName)))) await files.removeDir(blobsTo)
    throw error
  } finally {
    await lock.release()
  }
}

/** Finishes a committed restore, if there is one. The caller holds the lock. */
export async function finishRestore(files: Files, dir: string, at: Date): Promise<string | undefined> {
  const names = await files.list(dir)
  if (!names.includes(restoredName)) return undefined
  const old = names.filter((name) => isData(name) && name !== restoredName)
  const folder = await newFolder(files, dir, at)
  if (old.length > 0) await moveAway(files, dir, old, folder)
  await replaceBlobs(files, dir, folder)
  await forgetCopies(files, dir)
  await (await files.create(join(dir, restoredMarkName))).close()
  await files.syncDir(dir)
  await files.rename(join(dir, restoredName), join(dir, databaseName))
  await files.syncDir(dir)
  return old.length > 0 ? folder : undefined
}

/** Returns the name of a folder for replaced files that does not exist yet. */
async function newFolder(files: Files, dir: string, at: Date): Promise<string> {
  for (let time = at; ; time = new Date(time.getTime() + 1)) {
    const folder = join(dir, replacedName(time))
    if (!(await exists(files, folder))) return folder
  }
}

/** Moves the old blobs away and the restored ones to their place, unless an interrupted restore has done that. */
async function replaceBlobs(files: Files, dir: string, folder: string): Promise<void> {
  const restored = join(dir, restoredBlobsName)
  const blobs = join(dir, blobsName)
  if (!(await exists(files, restored))) return
  if (await exists(files, blobs)) {
    await files.makeDir(folder)
    await files.rename(blobs, join(folder, blobsName))
    await files.syncDir(folder)
  }
  await files.rename(restored, blobs)
  await files.syncDir(dir)
}

async function moveAway(files: Files, dir: string, names: readonly string[], folder: string): Promise<void> {
  await files.makeDir(folder)
  for (const name of names) await files.rename(join(dir, name), join(folder, name))
  await files.syncDir(folder)
  await files.syncDir(dir)
}
