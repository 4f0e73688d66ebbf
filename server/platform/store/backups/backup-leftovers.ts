/** Removes leftovers of crashes in the folder of backups. */
import { join } from 'node:path'
import { StoreLocked } from '../errors.ts'
import type { Files } from '../files.ts'
import { backupsName, blobsName, isBlobName, temporarySuffix } from '../layout.ts'
import { parseBackupName } from './retention.ts'

/** Prefix of the folders in which backups are checked. Each has a lock while it is used. */
export const scratchPrefix = 'check-'

/** Removes temporary files, the companions of removed backups, and scratch folders, unless another process is using them. */
export async function removeBackupLeftovers(files: Files, dir: string): Promise<void> {
  const folder = join(dir, backupsName)
  for (const parent of [dir, folder]) {
    for (const name of (await files.list(parent)).filter((name) => name.startsWith(scratchPrefix))) {
      const scratch = join(parent, name)
      await whileFree(files, scratch, () => files.removeDir(scratch))
    }
  }
  if ((await files.list(folder)).length > 0) await whileFree(files, folder, () => removeFiles(files, folder))
}

async function removeFiles(files: Files, folder: string): Promise<void> {
  const names = await files.list(folder)
  for (const name of names) {
    if (isTemporary(name) || isOrphan(name, names)) await files.remove(join(folder, name))
  }
  const pool = join(folder, blobsName)
  for (const shard of await files.list(pool)) {
    for (const name of await files.list(join(pool, shard))) {
      const isPart = name.endsWith(temporarySuffix) && isBlobName(name.slice(0, -temporarySuffix.length))
      if (isPart) await files.remove(join(pool, shard, name))
    }
  }
}

/** Whether a crash may have left a file half written. Files that people named are not removed. */
function isTemporary(name: string): boolean {
  return name.endsWith(temporarySuffix) && backupOf(name.slice(0, -temporarySuffix.length)) !== undefined
}

/** Whether a list of checksums or a proof has lost its backup. */
function isOrphan(name: string, names: readonly string[]): boolean {
  const backup = backupOf(name)
  return backup !== undefined && backup !== name && !names.includes(backup)
}

/** The name of the backup that a file is or belongs to. */
function backupOf(name: string): string | undefined {
  const backup = name.replace(/(?<=\.sqlite\.zst)(\.sha256|\.proof\.json)$/, '')
  return parseBackupName(backup) && backup
}

/** Runs `work` unless another process holds the lock of the folder. */
async function whileFree(files: Files, folder: string, work: () => Promise<void>): Promise<void> {
  try {
    const lock = await files.lock(folder)
    await work().finally(() => lock.release())
  } catch (error) {
    if (!(error instanceof StoreLocked)) throw error
  }
}
