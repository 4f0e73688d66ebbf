/**
 * Restoring a backup. What was there is kept in `replaced-<time>/`.
 *
 * The backup is first copied beside the snapshot under a name of its own. From then on the restore is
 * decided: if it is cut short, the next start finishes it.
 */
import { join } from 'node:path'
import { checkBackup } from './backup.ts'
import { type Files, nodeFiles, replaceFile } from './files.ts'
import { fileTime, isData, replacedPrefix, restoredName, snapshotName } from './layout.ts'

export interface RestoreOptions {
  readonly directory: string
  /** The backup, ordinary or portable. */
  readonly file: string
  /** Of a portable backup that is protected. */
  readonly passphrase?: string | undefined
  /** How many migrations the program knows. */
  readonly migrations: number
  readonly now: () => Date
  readonly files?: Files
}

/**
 * Puts a backup in place. Returns the folder with what was there before, or undefined when nothing was.
 * Throws StoreLocked while a server runs there, and what `checkBackup` throws when the backup is no good;
 * nothing has changed then.
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

/** Finishes a restore that was decided; does nothing when there is none. Needs the lock. */
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
