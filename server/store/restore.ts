/**
 * Restores a backup. The replaced files are kept in `replaced-<time>/`.
 *
 * The backup is first copied beside the snapshot under the name `pds.sqlite.restored`. That commits the restore: if it
 * is interrupted afterwards, the next start finishes it.
 */
import { join } from 'node:path'
import { checkBackup } from './backup.ts'
import { type Files, nodeFiles, replaceFile } from './files.ts'
import { fileTime, isData, replacedPrefix, restoredName, snapshotName } from './layout.ts'

export interface RestoreOptions {
  readonly directory: string
  /** An SQLite backup or a one-file backup. */
  readonly file: string
  /** Decrypts a one-file backup. */
  readonly passphrase?: string | undefined
  /** The highest schema version that the program knows. */
  readonly migrations: number
  readonly now: () => Date
  readonly files?: Files
}

/**
 * Replaces the data with a backup. Returns the folder with the replaced files, or undefined when there were none.
 * Throws StoreLocked while a server runs there, and the errors of `checkBackup`; the data is unchanged then.
 */
export async function restore(options: RestoreOptions): Promise<string | undefined> {
  const { directory: dir, file, now, files = nodeFiles } = options
  await files.makeDir(dir)
  const lock = await files.lock(dir)
  try {
    const { snapshot } = await checkBackup(file, options)
    await replaceFile(files, join(dir, restoredName), snapshot)
    return await finishRestore(files, dir, now())
  } finally {
    await lock.release()
  }
}

/** Finishes a committed restore, if there is one. The caller holds the lock. */
export async function finishRestore(files: Files, dir: string, at: Date): Promise<string | undefined> {
  const names = await files.list(dir)
  if (!names.includes(restoredName)) return undefined
  const old = names.filter((name) => isData(name) && name !== restoredName)
  const folder = join(dir, `${replacedPrefix}${fileTime(at)}`)
  if (old.length > 0) await moveAway(files, dir, old, folder)
  await files.rename(join(dir, restoredName), join(dir, snapshotName))
  await files.syncDir(dir)
  return old.length > 0 ? folder : undefined
}

async function moveAway(files: Files, dir: string, names: readonly string[], folder: string): Promise<void> {
  await files.makeDir(folder)
  for (const name of names) await files.rename(join(dir, name), join(folder, name))
  await files.syncDir(folder)
  await files.syncDir(dir)
}
