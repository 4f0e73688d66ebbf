/** Summary of a backup, for a person who decides whether to restore it. */

import { isNotBeingDeleted } from '../database/being-deleted.ts'
import type { Schema } from '../database/migrate.ts'
import { type Files, nodeFiles, readHead } from '../files/files.ts'
import { BackupForeign } from '../files/store-errors.ts'
import type { Sqlite } from '../pages/sqlite.ts'
import { isEncrypted, isPortable } from './portable.ts'
import { type CheckOptions, checkBackup, isDatabase } from './read-backup.ts'

export interface BackupContent {
  readonly createdAt: Date
  /** Size of the data that a restore would write: of the database, and of the blobs that it names. */
  readonly bytes: number
  /** Handles of its accounts, oldest account first. */
  readonly handles: readonly string[]
  readonly records: number
  readonly notifications: number
  /** Blobs, such as images, and how many of them the backup lacks. */
  readonly blobs: number
  readonly missingBlobs: number
}

/** Whether a backup is encrypted. Throws BackupForeign, or StoreDamaged when the file is missing. */
export async function isProtected(file: string, files: Files = nodeFiles): Promise<boolean> {
  const head = await readHead(files, file)
  if (!isPortable(head) && !isDatabase(head)) throw new BackupForeign(file)
  return isEncrypted(head)
}

export type DescribeOptions = Pick<CheckOptions, 'passphrase' | 'blobFolders' | 'sha256' | 'files'> & {
  readonly schema: Schema
}

/** Checks a backup as `checkBackup` does, and counts its content. */
export async function describeBackup(
  dir: string,
  file: string,
  options: DescribeOptions,
): Promise<BackupContent> {
  const { files = nodeFiles } = options
  return checkBackup(dir, file, options, async (backup, { sqlite }) => {
    const damaged = count(sqlite, 'damaged_blobs')
    return {
      createdAt: backup.createdAt ?? (await files.changedAt(file)),
      bytes: sqlite.size + blobBytes(sqlite),
      handles: sqlite
        .all<{ handle: string }>(`SELECT a.handle FROM accounts a WHERE ${isNotBeingDeleted} ORDER BY a.id`)
        .map(({ handle }) => handle),
      records: count(sqlite, 'records'),
      notifications: count(sqlite, 'notifications'),
      blobs: backup.blobs.length + damaged,
      missingBlobs: backup.missingBlobs.length + damaged,
    }
  })
}

function count(sqlite: Sqlite, table: string): number {
  return sqlite.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0
}

/** The bytes of all blobs, each once, without damaged ones. */
function blobBytes(sqlite: Sqlite): number {
  const row = sqlite.get<{ bytes: number }>(
    `SELECT coalesce(sum(size), 0) AS bytes FROM
       (SELECT size FROM blobs WHERE cid NOT IN (SELECT cid FROM damaged_blobs) GROUP BY cid)`,
  )
  return row?.bytes ?? 0
}
