/**
 * Backups: SQLite files in `backups/`, each with the checksums of it and its blobs beside it, and their blobs, which
 * they share; and one-file backups, anywhere.
 */
import { basename, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import {
  blobCids,
  blobFolderOf,
  type Content,
  checksumList,
  keepBlobs,
  removeUnusedBlobs,
} from './backup-blobs.ts'
import { type BackupProof, proofFile, readProof } from './backup-proof.ts'
import { isIntact, linkBlob, matchesCid, syncBlobDirs, writeBlob } from './blob-files.ts'
import { BackupForeign, StoreDamaged, StoreLocked } from './errors.ts'
import { type Files, isMissing, nodeFiles, readIfThere, replaceFile, writeChunks } from './files.ts'
import { backupsName, blobPath, blobsName } from './layout.ts'
import type { Lock } from './lock.ts'
import { checkVersion, type Schema } from './migrate.ts'
import {
  type BlobContent,
  decodePortable,
  encodePortable,
  headBytes,
  isPortable,
  type PortableOptions,
  type ReceiveBlob,
} from './portable.ts'
import { loadDuringCheckpoint } from './recover.ts'
import { type BackupKind, backupName, expiredBackups, parseBackupName } from './retention.ts'
import { checksumLine, exportSnapshot, isSqlite, openSnapshot } from './snapshot.ts'
import type { Sqlite } from './sqlite.ts'

export type { BackupKind } from './retention.ts'

export interface BackupInfo {
  readonly file: string
  readonly kind: BackupKind
  readonly createdAt: Date
  readonly bytes: number
  /** The result of the last check; undefined without one. */
  readonly proof: BackupProof | undefined
}

export interface CheckOptions {
  /** The schema of the program; any version passes without it. */
  readonly schema?: Schema | undefined
  /** Decrypts a one-file backup. */
  readonly passphrase?: string | undefined
  /** Folders that may have the blobs of an SQLite backup, besides the one beside it. */
  readonly blobFolders?: readonly string[]
  /** An empty folder that the blobs are copied or linked to. */
  readonly blobsTo?: string
  readonly files?: Files
}

export interface CheckedBackup {
  readonly snapshot: Uint8Array
  /** From the content or the name of the file; undefined for a renamed SQLite backup. */
  readonly createdAt: Date | undefined
  /** CIDs of the blobs that the snapshot names. */
  readonly blobs: readonly string[]
  /** The ones that the backup lacks. */
  readonly missingBlobs: readonly string[]
}

const dayMs = 24 * 60 * 60_000
/** A backup waits so long for another one of the same data. */
const lockWaitMs = 10 * 60_000
const lockPauseMs = 100
/** Blobs that are deleted while the data is read make it necessary to read it again. */
const readAttempts = 3

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
  const read = () => readData(files, dir)
  return saveBackup(files, dir, await read(), at, kind, read)
}

/**
 * Writes a data directory as it is on disk to a one-file backup, also while another process serves it, and replaces a
 * file of that name. The file has been read back, decrypted and checked before it gets its name. Leaves out blobs that are
 * missing or damaged. Returns its size in bytes.
 */
export async function exportBackup(
  dir: string,
  file: string,
  options: PortableOptions,
  files: Files = nodeFiles,
): Promise<number> {
  const temporary = `${file}.tmp`
  try {
    const { snapshot, blobs } = await readData(files, dir)
    const content = intactBlobs(files, join(dir, blobsName), blobs)
    await writeChunks(files, temporary, await encodePortable(snapshot, content, options))
    const { passphrase } = options
    await readBackup(file, { files, head: await readHead(files, temporary), path: temporary, passphrase })
    const bytes = await files.size(temporary)
    await files.rename(temporary, file)
    await files.syncDir(dirname(file))
    return bytes
  } catch (error) {
    await files.remove(temporary).catch(() => {})
    throw error
  }
}

async function* intactBlobs(
  files: Files,
  folder: string,
  cids: readonly string[],
): AsyncGenerator<BlobContent> {
  for (const cid of cids) {
    const path = blobPath(folder, cid)
    if (await isIntact(files, path, cid)) {
      yield { cid, size: await files.size(path), chunks: files.chunks(path) }
    }
  }
}

async function readData(files: Files, dir: string): Promise<Content> {
  const { sqlite, seq } = await loadDuringCheckpoint(files, dir)
  try {
    return contentOf(sqlite, seq)
  } finally {
    sqlite.close()
  }
}

/** Exports a database as the content of a backup, up to transaction `seq`. */
export function contentOf(sqlite: Sqlite, seq: number): Content {
  return { blobs: blobCids(sqlite), snapshot: exportSnapshot(sqlite, seq) }
}

/** Writes content as a backup. @param readAgain reads newer content, because blobs may have been deleted meanwhile */
export async function saveBackup(
  files: Files,
  dir: string,
  read: Content,
  createdAt: Date,
  kind: BackupKind,
  readAgain: () => Promise<Content> = async () => read,
): Promise<BackupInfo> {
  const folder = join(dir, backupsName)
  const file = join(folder, backupName({ kind, createdAt }))
  await files.makeDir(folder)
  const lock = await lockBackups(files, folder)
  try {
    const content = await keepBlobsOf(files, dir, read, readAgain)
    await replaceFile(files, file, content.snapshot)
    await replaceFile(files, checksumFile(file), ...checksumList(file, content))
    await checkDatabase(files, file).catch(async (error: unknown) => {
      await removeBackup(files, file)
      throw error
    })
    for (const expired of expiredBackups(await listNamed(dir, files), createdAt))
      await removeBackup(files, expired.file)
    await removeUnusedBlobs(files, folder)
    return { file, kind, createdAt, bytes: content.snapshot.length, proof: undefined }
  } finally {
    await lock.release()
  }
}

/** Only one process at a time adds backups, because a backup removes the blobs that no other contains. */
async function lockBackups(files: Files, folder: string): Promise<Lock> {
  const deadline = performance.now() + lockWaitMs
  for (;;) {
    try {
      return await files.lock(folder)
    } catch (error) {
      if (!(error instanceof StoreLocked) || performance.now() > deadline) throw error
      await setTimeout(lockPauseMs)
    }
  }
}

/** Keeps the blobs of the content. Returns it without the blobs that are lost. */
async function keepBlobsOf(
  files: Files,
  dir: string,
  first: Content,
  readAgain: () => Promise<Content>,
): Promise<Content> {
  let content = first
  for (let attempt = 1; ; attempt++) {
    const { snapshot, blobs } = content
    const missing = await keepBlobs(files, dir, join(dir, backupsName, blobsName), blobs)
    if (missing.size === 0 || attempt === readAttempts) {
      return { snapshot, blobs: blobs.filter((cid) => !missing.has(cid)) }
    }
    content = await readAgain()
  }
}

/** Lists the backups in `backups/` that this program named, newest first. */
export async function listBackups(dir: string, files: Files = nodeFiles): Promise<BackupInfo[]> {
  const backups = await listNamed(dir, files)
  backups.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
  return Promise.all(
    backups.map(async (entry) => ({
      ...entry,
      bytes: await files.size(entry.file),
      proof: await readProof(files, entry.file),
    })),
  )
}

async function listNamed(dir: string, files: Files): Promise<Omit<BackupInfo, 'bytes' | 'proof'>[]> {
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
 * Reads an SQLite or one-file backup. Checks that this program wrote it, its checksum if it has one, SQLite's integrity
 * check, and the content of each blob. Missing blobs are no error.
 * @throws StoreDamaged, StoreTooNew, StoreTooOld, BackupForeign, BackupLocked
 */
export async function checkBackup(file: string, options: CheckOptions = {}): Promise<CheckedBackup> {
  const { files = nodeFiles } = options
  return readBackup(file, { ...options, files, head: await readHead(files, file), path: file })
}

/** Reads the first bytes of a backup. Throws StoreDamaged when there is no such file. */
export async function readHead(files: Files, file: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  try {
    for await (const chunk of files.chunks(file, 0, headBytes)) parts.push(chunk)
  } catch (error) {
    throw isMissing(error) ? new StoreDamaged(file, 'is missing') : error
  }
  return Buffer.concat(parts)
}

interface ReadOptions extends CheckOptions {
  readonly files: Files
  readonly head: Uint8Array
  readonly path: string
}

/** Reads the backup at `path`. `file` is its name in errors. */
async function readBackup(file: string, options: ReadOptions): Promise<CheckedBackup> {
  const { files, head, path, passphrase, blobsTo, schema } = options
  if (!isPortable(head)) {
    if (!isSqlite(head)) throw new BackupForeign(file)
    const { snapshot, blobs } = await checkDatabase(files, path, schema)
    const missingBlobs = await collectBlobs(blobs, options)
    return { snapshot, createdAt: parseBackupName(basename(file))?.createdAt, blobs, missingBlobs }
  }
  const received = new Set<string>()
  const receive: ReceiveBlob = (cid, chunks) => {
    received.add(cid)
    return blobsTo === undefined ? matchesCid(cid, chunks) : writeBlob(files, blobsTo, cid, chunks)
  }
  const source = { head, chunks: files.chunks(path) }
  const { snapshot, createdAt } = await decodePortable(file, source, passphrase, receive)
  const blobs = await checkSnapshot(file, snapshot, schema)
  if (blobsTo !== undefined) await syncBlobDirs(files, blobsTo, [...received])
  return { snapshot, createdAt, blobs, missingBlobs: blobs.filter((cid) => !received.has(cid)) }
}

/** Reads and checks the database of an SQLite backup. */
async function checkDatabase(files: Files, file: string, schema?: Schema): Promise<Content> {
  // The database that checks it takes the buffer over.
  const snapshot = await files.read(file, 'with room')
  const list = await readIfThere(files, checksumFile(file))
  const line = checksumLine(snapshot, basename(file))
  if (list !== undefined && !line.equals(list.subarray(0, line.length))) {
    throw new StoreDamaged(file, 'does not match its checksum')
  }
  return { snapshot, blobs: await checkSnapshot(file, snapshot, schema) }
}

/** Checks a snapshot, and returns the CIDs of its blobs. */
async function checkSnapshot(file: string, snapshot: Uint8Array, schema?: Schema): Promise<string[]> {
  const { sqlite } = await openSnapshot(file, snapshot, 'thorough')
  try {
    if (schema) checkVersion(file, sqlite, schema)
    return blobCids(sqlite)
  } finally {
    sqlite.close()
  }
}

/** Finds the blobs of an SQLite backup, and links them to `blobsTo`. Returns blobs that no folder has. */
async function collectBlobs(
  cids: readonly string[],
  { files, path, blobFolders = [], blobsTo }: ReadOptions,
): Promise<string[]> {
  const folders = [blobFolderOf(path), ...blobFolders]
  const missing: string[] = []
  for (const cid of cids) {
    const found = await firstIntact(files, folders, cid)
    if (found === undefined) missing.push(cid)
    else if (blobsTo !== undefined) await linkBlob(files, found, blobsTo, cid)
  }
  const lost = new Set(missing)
  if (blobsTo !== undefined) {
    await syncBlobDirs(
      files,
      blobsTo,
      cids.filter((cid) => !lost.has(cid)),
    )
  }
  return missing
}

async function firstIntact(
  files: Files,
  folders: readonly string[],
  cid: string,
): Promise<string | undefined> {
  for (const folder of folders) {
    const path = blobPath(folder, cid)
    if (await isIntact(files, path, cid)) return path
  }
  return undefined
}

async function removeBackup(files: Files, file: string): Promise<void> {
  await files.remove(file)
  await files.remove(checksumFile(file))
  await files.remove(proofFile(file))
}

function checksumFile(file: string): string {
  return `${file}.sha256`
}
