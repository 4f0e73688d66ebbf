/** Backups: whole SQLite files in `backups/`, each with its checksum beside it. */
import { basename, dirname, join } from 'node:path'
import { StoreDamaged, StoreTooNew } from './errors.ts'
import { type Files, nodeFiles, readIfThere, replaceFile } from './files.ts'
import { backupsName, fileTime } from './layout.ts'
import { loadDuringFold } from './recover.ts'
import { checksumLine, exportSnapshot, openSnapshot, schemaVersion } from './snapshot.ts'

export interface BackupInfo {
  readonly file: string
  readonly createdAt: Date
  readonly bytes: number
}

const kept = 7
const day = 24 * 60 * 60_000
const pattern = /^pds-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.sqlite$/

/**
 * Backs up what is on disk in a data directory, also while another process serves it. The result has passed
 * SQLite's integrity check. Of the backups with such a name the newest seven are kept.
 */
export async function backup(dir: string, at: Date, files: Files = nodeFiles): Promise<BackupInfo> {
  const { sqlite, seq } = await loadDuringFold(files, dir)
  try {
    return await saveBackup(files, dir, exportSnapshot(sqlite, seq), at)
  } finally {
    sqlite.close()
  }
}

/** Keeps the bytes of a snapshot as a backup. */
export async function saveBackup(
  files: Files,
  dir: string,
  bytes: Uint8Array,
  at: Date,
): Promise<BackupInfo> {
  const file = join(dir, backupsName, `pds-${fileTime(at)}.sqlite`)
  await files.makeDir(dirname(file))
  await replaceFile(files, file, bytes)
  await replaceFile(files, `${file}.sha256`, checksumLine(bytes, basename(file)))
  await checkBackup(file, files).catch(async (error: unknown) => {
    await files.remove(file)
    await files.remove(`${file}.sha256`)
    throw error
  })
  await prune(files, dir)
  return { file, createdAt: at, bytes: bytes.length }
}

/** The backups that were made by `backup`, newest first. */
export async function listBackups(dir: string, files: Files = nodeFiles): Promise<BackupInfo[]> {
  const folder = join(dir, backupsName)
  const backups = (await files.list(folder)).flatMap((name) => {
    const createdAt = timeOf(name)
    return createdAt === undefined ? [] : [{ file: join(folder, name), createdAt }]
  })
  backups.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
  return Promise.all(backups.map(async (entry) => ({ ...entry, bytes: await files.size(entry.file) })))
}

/** Whether a day has passed since the newest backup. */
export async function backupIsDue(dir: string, now: Date, files: Files = nodeFiles): Promise<boolean> {
  const [newest] = await listBackups(dir, files)
  if (newest === undefined) return true
  const age = now.getTime() - newest.createdAt.getTime()
  // A backup from the future was made while the clock was wrong.
  return age >= day || age < 0
}

/**
 * Reads a backup and checks it: its checksum when that lies beside it, SQLite's integrity check, and that
 * this program wrote it. Throws StoreDamaged or StoreTooNew. `migrations` is how many the program knows; left
 * out, any number will do.
 */
export async function checkBackup(
  file: string,
  files: Files = nodeFiles,
  migrations = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const bytes = await readIfThere(files, file)
  if (bytes === undefined) throw new StoreDamaged(file, 'is missing')
  const sum = await readIfThere(files, `${file}.sha256`)
  if (sum !== undefined && !checksumLine(bytes, basename(file)).equals(sum)) {
    throw new StoreDamaged(file, 'does not match its checksum')
  }
  const { sqlite } = await openSnapshot(file, bytes, 'thorough')
  const version = schemaVersion(sqlite)
  sqlite.close()
  if (version > migrations) throw new StoreTooNew(file, version, migrations)
  return bytes
}

async function prune(files: Files, dir: string): Promise<void> {
  for (const { file } of (await listBackups(dir, files)).slice(kept)) {
    await files.remove(file)
    await files.remove(`${file}.sha256`)
  }
}

function timeOf(name: string): Date | undefined {
  const [, year, month, date, hour, minute, second, ms] = pattern.exec(name) ?? []
  return ms === undefined
    ? undefined
    : new Date(`${year}-${month}-${date}T${hour}:${minute}:${second}.${ms}Z`)
}
