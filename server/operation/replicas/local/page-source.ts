/** The backups of a data directory as a source of pages that are damaged there. */
import { join } from 'node:path'
import type { PageSource } from '../../../platform/store/backups/page-source.ts'
import { unpack } from '../../../platform/store/backups/read-backup.ts'
import { BackupForeign, StoreDamaged, StoreTooNew, StoreTooOld } from '../../../platform/store/errors.ts'
import { type Files, nodeFiles } from '../../../platform/store/files.ts'
import { closeFile, type OpenedFile, openChecked } from '../../../platform/store/pages/database-file.ts'
import { PlaceProblem } from '../places/place.ts'
import { readEnd } from '../receive.ts'
import { type Backup, listBackups } from './list.ts'
import { backupFolder, localTarget } from './target.ts'

export function backupPages(dataDir: string, files: Files = nodeFiles): PageSource {
  return {
    async *pages(numbers, scratch) {
      for (const backup of await listBackups(dataDir, files)) {
        const opened = await openBackup(files, dataDir, backup, scratch)
        if (!opened) continue
        try {
          for (const number of numbers)
            if (number <= opened.file.count) yield [number, opened.file.read(number)]
        } finally {
          await closeFile(opened)
        }
      }
    },
    async newest(scratch) {
      for (const backup of await listBackups(dataDir, files)) {
        if (backup.isPartial) continue
        const opened = await openBackup(files, dataDir, backup, scratch)
        if (opened) return { ...opened, name: backup.name }
      }
      return undefined
    },
  }
}

/** Unpacks a backup into a folder and opens its database; undefined if it is not intact. */
async function openBackup(
  files: Files,
  dataDir: string,
  { name, parts: [part = ''] }: Backup,
  scratch: string,
): Promise<OpenedFile | undefined> {
  const [file, path] = [join(backupFolder(dataDir), part), join(scratch, 'database')]
  await files.makeDir(scratch)
  try {
    const { sha256 } = await readEnd(localTarget(dataDir, files), name)
    await unpack(file, file, path, { files, sha256 })
    return await openChecked(files, path)
  } catch (error) {
    const kinds = [StoreDamaged, StoreTooNew, StoreTooOld, BackupForeign, PlaceProblem]
    if (kinds.some((kind) => error instanceof kind)) return undefined
    throw error
  }
}
