/** Backups: whole SQLite files in `backups/`, each with its checksum beside it; and one-file backups, anywhere. */
import { basename, dirname, join } from 'node:path'
import { BackupForeign, StoreDamaged, StoreTooNew } from './errors.ts'
import { type Files, isMissing, nodeFiles, readIfThere, replaceFile, writeFully } from './files.ts'
import { backupsName } from './layout.ts'
import { decodePortable, encodePortable, isPortable, type PortableOptions } from './portable.ts'
import { loadDuringCheckpoint } from './recover.ts'
import { type BackupKind, backupName, expiredBackups, parseBackupName } from './retention.ts'
import { checksumLine, exportSnapshot, isSqlite, openSnapshot, schemaVersion } from './snapshot.ts'

export type { BackupKind } from './retention.ts'

export interface BackupInfo {
  readonly file: string
  readonly kind: BackupKind
  readonly createdAt: Date
  readonly bytes: number
}

export interface CheckOptions {
  /** The highest schema version that the program supports; any version passes without it. */
  readonly migrations?: number
  /** Decrypts a one-file backup. */
  readonly passphrase?: string | undefined
  readonly files?: Files
}

export interface CheckedBackup {
  readonly snapshot: Uint8Array
  /** From the content or the name of the file; undefined for a renamed SQLite backup. */
  readonly createdAt: Date | undefined
}

const dayMs = 24 * 60 * 60_000

/**
 * Backs up a data directory as it is on disk, also while another process serves it. The backup has passed SQLite's
 * integrity check. Removes backups that `retention.ts` no longer keeps.
 */
export async function backup(
  dir: string,
  at: Date,
  kind: BackupKind = 'manual',
  files: Files = nodeFiles,
): Promise<BackupInfo> {
  return saveBackup(files, dir, await readData(files, dir), at, kind)
}

/**
 * Writes a data directory as it is on disk to a one-file backup, also while another process serves it, and replaces a
 * file of that name. The file has been read back, decrypted and checked before it gets its name. Returns its size in bytes.
 */
export async function exportBackup(
  dir: string,
  file: string,
  options: PortableOptions,
  files: Files = nodeFiles,
): Promise<number> {
  const temporary = `${file}.tmp`
  try {
    await writeChunks(files, temporary, await encodePortable(await readData(files, dir), options))
    const bytes = await files.read(temporary)
    await checkContent(file, bytes, options)
    await files.rename(temporary, file)
    await files.syncDir(dirname(file))
    return bytes.length
  } catch (error) {
    await files.remove(temporary).catch(() => {})
    throw error
  }
}

async function writeChunks(files: Files, path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await files.create(path)
  try {
    let position = 0
    for await (const chunk of chunks) {
      await writeFully(file, chunk, position)
      position += chunk.length
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

async function readData(files: Files, dir: string): Promise<Uint8Array> {
  const { sqlite, seq } = await loadDuringCheckpoint(files, dir)
  try {
    return exportSnapshot(sqlite, seq)
  } finally {
    sqlite.close()
  }
}

/** Writes a snapshot as a backup. */
export async function saveBackup(
  files: Files,
  dir: string,
  snapshot: Uint8Array,
  createdAt: Date,
  kind: BackupKind,
): Promise<BackupInfo> {
  const file = join(dir, backupsName, backupName({ kind, createdAt }))
  await files.makeDir(dirname(file))
  await replaceFile(files, file, snapshot)
  await replaceFile(files, checksumFile(file), checksumLine(snapshot, basename(file)))
  await checkBackup(file, { files }).catch(async (error: unknown) => {
    await removeBackup(files, file)
    throw error
  })
  for (const expired of expiredBackups(await listNamed(dir, files))) await removeBackup(files, expired.file)
  return { file, kind, createdAt, bytes: snapshot.length }
}

/** Lists the backups in `backups/` that this program named, newest first. */
export async function listBackups(dir: string, files: Files = nodeFiles): Promise<BackupInfo[]> {
  const backups = await listNamed(dir, files)
  backups.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
  return Promise.all(backups.map(async (entry) => ({ ...entry, bytes: await files.size(entry.file) })))
}

async function listNamed(dir: string, files: Files): Promise<Omit<BackupInfo, 'bytes'>[]> {
  const folder = join(dir, backupsName)
  return (await files.list(folder)).flatMap((name) => {
    const parsed = parseBackupName(name)
    return parsed === undefined ? [] : [{ file: join(folder, name), ...parsed }]
  })
}

/** Whether a day has passed since the newest daily backup. */
export async function backupIsDue(dir: string, now: Date, files: Files = nodeFiles): Promise<boolean> {
  const newest = (await listBackups(dir, files)).find(
    // A backup from the future was made while the clock was wrong.
    ({ kind, createdAt }) => kind === 'daily' && createdAt <= now,
  )
  return newest === undefined || now.getTime() - newest.createdAt.getTime() >= dayMs
}

/**
 * Reads an SQLite or one-file backup. Checks that this program wrote it, its checksum if it has one, and SQLite's integrity
 * check.
 * @throws StoreDamaged, StoreTooNew, BackupForeign, BackupLocked
 */
export async function checkBackup(file: string, options: CheckOptions = {}): Promise<CheckedBackup> {
  const { files = nodeFiles } = options
  const bytes = await readBackupFile(files, file)
  const sum = await readIfThere(files, checksumFile(file))
  if (sum !== undefined && !checksumLine(bytes, basename(file)).equals(sum)) {
    throw new StoreDamaged(file, 'does not match its checksum')
  }
  return checkContent(file, bytes, options)
}

/** Reads the file of a backup. Throws StoreDamaged when there is none. */
export async function readBackupFile(files: Files, file: string): Promise<Uint8Array> {
  return files.read(file).catch((error: unknown) => {
    throw isMissing(error) ? new StoreDamaged(file, 'is missing') : error
  })
}

async function checkContent(
  file: string,
  bytes: Uint8Array,
  { migrations = Number.POSITIVE_INFINITY, passphrase }: CheckOptions,
): Promise<CheckedBackup> {
  const content = await decode(file, bytes, passphrase)
  const { sqlite } = await openSnapshot(file, content.snapshot, 'thorough')
  const version = schemaVersion(sqlite)
  sqlite.close()
  if (version > migrations) throw new StoreTooNew(file, version, migrations)
  return content
}

async function decode(file: string, bytes: Uint8Array, passphrase?: string): Promise<CheckedBackup> {
  if (isPortable(bytes)) return decodePortable(file, bytes, passphrase)
  if (!isSqlite(bytes)) throw new BackupForeign(file)
  return { snapshot: bytes, createdAt: parseBackupName(basename(file))?.createdAt }
}

async function removeBackup(files: Files, file: string): Promise<void> {
  await files.remove(file)
  await files.remove(checksumFile(file))
}

function checksumFile(file: string): string {
  return `${file}.sha256`
}
