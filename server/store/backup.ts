/**
 * Backups: whole SQLite files in `backups/`, each with its checksum beside it; and portable ones, wherever a person wants them.
 */
import { basename, dirname, join } from 'node:path'
import { BackupForeign, StoreDamaged, StoreTooNew } from './errors.ts'
import { type Files, nodeFiles, readIfThere, replaceFile, saveAs } from './files.ts'
import { backupsName, fileTime } from './layout.ts'
import { decodePortable, encodePortable, isPortable, type PortableOptions } from './portable.ts'
import { loadDuringCheckpoint } from './recover.ts'
import { checksumLine, exportSnapshot, isSqlite, openSnapshot, schemaVersion } from './snapshot.ts'

export interface BackupInfo {
  readonly file: string
  readonly createdAt: Date
  readonly bytes: number
}

export interface CheckOptions {
  /** How many the program knows; left out, any number will do. */
  readonly migrations?: number
  /** Of a portable backup that is protected. */
  readonly passphrase?: string
  readonly files?: Files
}

const kept = 7
const day = 24 * 60 * 60_000
const pattern = /^pds-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.sqlite$/

/**
 * Backs up what is on disk in a data directory, also while another process serves it. The result has passed
 * SQLite's integrity check. Of the backups with such a name the newest seven are kept.
 */
export async function backup(dir: string, at: Date, files: Files = nodeFiles): Promise<BackupInfo> {
  return saveBackup(files, dir, await readData(files, dir), at)
}

/**
 * Writes what is on disk in a data directory as a portable backup, also while another process serves it; a file of that name
 * is replaced. It has been read back, passphrase and integrity check included, before that.
 */
export async function exportBackup(
  dir: string,
  file: string,
  options: PortableOptions,
  files: Files = nodeFiles,
): Promise<BackupInfo> {
  const bytes = await encodePortable(await readData(files, dir), options)
  await checkContent(file, bytes, options)
  await saveAs(files, file, bytes)
  return { file, createdAt: options.createdAt, bytes: bytes.length }
}

async function readData(files: Files, dir: string): Promise<Uint8Array> {
  const { sqlite, seq } = await loadDuringCheckpoint(files, dir)
  try {
    return exportSnapshot(sqlite, seq)
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
  await checkBackup(file, { files }).catch(async (error: unknown) => {
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
    const createdAt = timeInName(name)
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
 * Reads a backup of either form and checks it: its checksum when it has one, SQLite's integrity check, and that this program
 * wrote it. Returns the snapshot in it.
 * @throws StoreDamaged, StoreTooNew, BackupForeign, BackupLocked
 */
export async function checkBackup(file: string, options: CheckOptions = {}): Promise<Uint8Array> {
  const { files = nodeFiles } = options
  const bytes = await readIfThere(files, file)
  if (bytes === undefined) throw new StoreDamaged(file, 'is missing')
  const sum = await readIfThere(files, `${file}.sha256`)
  if (sum !== undefined && !checksumLine(bytes, basename(file)).equals(sum)) {
    throw new StoreDamaged(file, 'does not match its checksum')
  }
  return checkContent(file, bytes, options)
}

async function checkContent(
  file: string,
  bytes: Uint8Array,
  { migrations = Number.POSITIVE_INFINITY, passphrase }: CheckOptions,
): Promise<Uint8Array> {
  if (!isPortable(bytes) && !isSqlite(bytes)) throw new BackupForeign(file)
  const snapshot = isPortable(bytes) ? await decodePortable(file, bytes, passphrase) : bytes
  const { sqlite } = await openSnapshot(file, snapshot, 'thorough')
  const version = schemaVersion(sqlite)
  sqlite.close()
  if (version > migrations) throw new StoreTooNew(file, version, migrations)
  return snapshot
}

async function prune(files: Files, dir: string): Promise<void> {
  for (const { file } of (await listBackups(dir, files)).slice(kept)) {
    await files.remove(file)
    await files.remove(`${file}.sha256`)
  }
}

/** When a backup was made, if it has the name that `backup` gives. */
export function timeInName(name: string): Date | undefined {
  const [, year, month, date, hour, minute, second, ms] = pattern.exec(name) ?? []
  return ms === undefined
    ? undefined
    : new Date(`${year}-${month}-${date}T${hour}:${minute}:${second}.${ms}Z`)
}
