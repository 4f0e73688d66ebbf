/** What tests of local backups share: the files of a backup. */
import { join } from 'node:path'
import type { Backup } from '../../../server/operation/replicas/local/list.ts'
import { backupFolder, localTarget } from '../../../server/operation/replicas/local/target.ts'
import { readEnd } from '../../../server/operation/replicas/receive.ts'
import { type Files, nodeFiles } from '../../../server/store/files/files.ts'
import { blobsName } from '../../../server/store/files/layout.ts'

/** Returns the path of the compressed database of a backup. */
export function databaseOf(dataDir: string, { parts: [part = ''] }: Pick<Backup, 'parts'>): string {
  return join(backupFolder(dataDir), part)
}

/** Returns what `restore` and `checkBackup` need of a backup: its database, the checksum of that, and where its media are. */
export async function sourceOf(dataDir: string, backup: Backup, files: Files = nodeFiles) {
  const { sha256 } = await readEnd(localTarget(dataDir, files), backup.name)
  const blobFolders = [join(backupFolder(dataDir), blobsName)]
  return { file: databaseOf(dataDir, backup), sha256, blobFolders }
}
