/** What a backup holds, for a person who is to decide whether to restore it. */
import { basename } from 'node:path'
import { checkBackup, timeInName } from './backup.ts'
import { BackupForeign, StoreDamaged } from './errors.ts'
import { type Files, nodeFiles, readIfThere } from './files.ts'
import { type Migration, migrate } from './migrate.ts'
import { isPortable, readPortableHeader } from './portable.ts'
import { isSqlite, openSnapshot } from './snapshot.ts'

export interface BackupContent {
  readonly createdAt: Date
  /** Size of the file. */
  readonly bytes: number
  /** Of its accounts, the oldest first. */
  readonly handles: readonly string[]
  readonly records: number
  readonly notifications: number
}

/** Whether a backup is protected by a passphrase. Throws BackupForeign, StoreDamaged or StoreTooNew. */
export async function isProtected(file: string, files: Files = nodeFiles): Promise<boolean> {
  const bytes = await readIfThere(files, file)
  if (bytes === undefined) throw new StoreDamaged(file, 'is missing')
  if (isPortable(bytes)) return readPortableHeader(file, bytes).encrypted
  if (isSqlite(bytes)) return false
  throw new BackupForeign(file)
}

/** Checks a backup of either form as `checkBackup` does, and counts what is in it. */
export async function describeBackup(
  file: string,
  migrations: readonly Migration[],
  passphrase?: string,
  files: Files = nodeFiles,
): Promise<BackupContent> {
  const snapshot = await checkBackup(file, { migrations: migrations.length, passphrase, files })
  const { sqlite } = await openSnapshot(file, snapshot, 'quick')
  try {
    // An older backup may lack tables that are counted here.
    migrate(sqlite, migrations)
    const count = (sql: string) => sqlite.get<{ n: number }>(sql)?.n ?? 0
    return {
      createdAt: await timeOf(file, files),
      bytes: await files.size(file),
      handles: sqlite
        .all<{ handle: string }>('SELECT handle FROM accounts ORDER BY id')
        .map(({ handle }) => handle),
      records: count('SELECT count(*) AS n FROM records'),
      notifications: count('SELECT count(*) AS n FROM notifications'),
    }
  } finally {
    sqlite.close()
  }
}

/** A portable backup tells it itself, an ordinary one by its name; of a renamed one only the file's own time is left. */
async function timeOf(file: string, files: Files): Promise<Date> {
  const bytes = await files.read(file)
  if (isPortable(bytes)) return readPortableHeader(file, bytes).createdAt
  return timeInName(basename(file)) ?? files.changedAt(file)
}
