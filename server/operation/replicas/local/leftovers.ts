/** Removes leftovers of crashes in the folder of backups. */
import { join } from 'node:path'
import { scratchPrefix } from '../../../store/backups/read-backup.ts'
import type { Files } from '../../../store/files/files.ts'
import { blobsName, isBlobName, temporarySuffix } from '../../../store/files/layout.ts'
import { StoreLocked } from '../../../store/files/store-errors.ts'
import { abandonedBackups } from './list.ts'
import { backupFolder, isLeftPending } from './target.ts'

/** Removes temporary files, bases that lack their database, and scratch folders. Those that another process is using stay. */
export async function removeLeftovers(files: Files, dataDir: string): Promise<void> {
  const folder = backupFolder(dataDir)
  for (const parent of [dataDir, folder]) {
    for (const name of (await files.list(parent)).filter((name) => name.startsWith(scratchPrefix))) {
      const scratch = join(parent, name)
      await whileFree(files, scratch, () => files.removeDir(scratch))
    }
  }
  if ((await files.list(folder)).length > 0) {
    await whileFree(files, folder, () => removeFiles(files, dataDir))
  }
}

async function removeFiles(files: Files, dataDir: string): Promise<void> {
  const folder = backupFolder(dataDir)
  for (const name of (await files.list(folder)).filter(isLeftPending)) await files.remove(join(folder, name))
  for (const { name, names } of await abandonedBackups(dataDir, files))
    if (!names.some(isPart)) await files.removeDir(join(folder, name))
  const pool = join(folder, blobsName)
  for (const shard of await files.list(pool)) {
    for (const name of await files.list(join(pool, shard))) {
      const isPart = name.endsWith(temporarySuffix) && isBlobName(name.slice(0, -temporarySuffix.length))
      if (isPart) await files.remove(join(pool, shard, name))
    }
  }
}

const isPart = (name: string) => /^\d+-\d+$/.test(name)

/** Runs `work` unless another process holds the lock of the folder. */
async function whileFree(files: Files, folder: string, work: () => Promise<void>): Promise<void> {
  try {
    const lock = await files.lock(folder)
    await work().finally(() => lock.release())
  } catch (error) {
    if (!(error instanceof StoreLocked)) throw error
  }
}
