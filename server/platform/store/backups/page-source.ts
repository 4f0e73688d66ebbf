/** Where salvage finds pages that are damaged here. */
import { join } from 'node:path'
import { BackupForeign, StoreDamaged, StoreTooNew, StoreTooOld } from '../errors.ts'
import type { Files } from '../files.ts'
import { backupsName } from '../layout.ts'
import { closeFile, type OpenedFile, openChecked } from '../pages/database-file.ts'
import { listBackups } from './backup.ts'
import { scratchPrefix } from './backup-leftovers.ts'
import { unpack } from './read-backup.ts'

/** A database of these data at another time: a backup, or the base of a replica. */
export interface PageSource {
  /**
   * Yields the pages with these numbers that it has. They may be of another version: the caller compares checksums. A source that cannot
   * be read yields nothing. The caller removes `scratch`.
   * @param scratch a folder for files that are needed meanwhile
   */
  pages(
    numbers: readonly number[],
    scratch: string,
  ): AsyncIterable<readonly [number: number, page: Uint8Array]>
}

/** The backups of a data directory, newest first. */
export function backupPages(files: Files, dir: string): PageSource {
  return {
    async *pages(numbers, scratch) {
      for (const { file } of await listBackups(dir, files)) {
        const opened = await openBackup(files, file, scratch)
        if (!opened) continue
        try {
          for (const number of numbers)
            if (number <= opened.file.count) yield [number, opened.file.read(number)]
        } finally {
          await closeFile(opened)
        }
      }
    },
  }
}

/** Unpacks a backup into a folder and opens its database; undefined if it is not intact. */
export async function openBackup(
  files: Files,
  file: string,
  scratch: string,
): Promise<OpenedFile | undefined> {
  const path = join(scratch, 'database')
  await files.makeDir(scratch)
  try {
    await unpack(file, file, path, { files })
    return await openChecked(files, path)
  } catch (error) {
    const isUnusable = [StoreDamaged, StoreTooNew, StoreTooOld, BackupForeign].some(
      (kind) => error instanceof kind,
    )
    if (isUnusable) return undefined
    throw error
  }
}

/** The folder for files that a salvage needs meanwhile. */
export function salvageScratch(dir: string): string {
  return join(dir, backupsName, `${scratchPrefix}salvage`)
}
