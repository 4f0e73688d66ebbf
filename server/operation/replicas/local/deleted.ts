/** Backups that the owner has deleted. Their folders get another name at first, so that the deletion can be undone. */
import { join } from 'node:path'
import { removeUnusedBlobs } from '../../../store/backups/backup-blobs.ts'
import { type Files, isMissing } from '../../../store/files/files.ts'
import { blobsName } from '../../../store/files/layout.ts'
import { basesFolder } from '../catalog.ts'
import { mediaLists } from './publish.ts'
import { backupFolder } from './target.ts'

/** Names with it are not those of backups. Their media are kept meanwhile, as those of any folder beside the backups. */
const deletedSuffix = '.deleted'

/** Deletes a backup, by the name of its folder. Returns false if there is none. */
export function hideBackup(files: Files, dataDir: string, id: string): Promise<boolean> {
  return renamed(files, dataDir, id, `${id}${deletedSuffix}`)
}

/** Undoes a deletion. Returns false if its files were removed. */
export function showBackup(files: Files, dataDir: string, id: string): Promise<boolean> {
  return renamed(files, dataDir, `${id}${deletedSuffix}`, id)
}

/** Lists the names that deleted backups had. */
export async function hiddenBackups(files: Files, dataDir: string): Promise<string[]> {
  const names = await files.list(join(backupFolder(dataDir), basesFolder))
  return names
    .filter((name) => name.endsWith(deletedSuffix))
    .map((name) => name.slice(0, -deletedSuffix.length))
}

export interface EraseJob {
  readonly dataDir: string
  readonly ids: readonly string[]
}

/** Removes deleted backups for good, with the media that no other contains. The caller holds the lock. */
export async function eraseBackups(files: Files, { dataDir, ids }: EraseJob): Promise<void> {
  const folder = backupFolder(dataDir)
  for (const id of ids) await files.removeDir(join(folder, basesFolder, `${id}${deletedSuffix}`))
  await removeUnusedBlobs(files, join(folder, blobsName), mediaLists(files, dataDir))
}

async function renamed(files: Files, dataDir: string, from: string, to: string): Promise<boolean> {
  const folder = join(backupFolder(dataDir), basesFolder)
  // Only listed names are accepted, so that none leads out of the folder.
  if (!(await files.list(folder)).includes(from)) return false
  try {
    await files.rename(join(folder, from), join(folder, to))
    await files.syncDir(folder)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
