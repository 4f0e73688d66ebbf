/** Reads backups: SQLite files, plain or compressed (Zstandard, RFC 8878), and one-file backups. None is in memory as a whole. */
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { constants, createZstdDecompress } from 'node:zlib'
import { temporaryName } from '../../util/random.ts'
import { checkVersion, type Schema } from '../database/migrate.ts'
import { isIntact, linkBlob, matchesCid, syncBlobDirs, writeBlob } from '../files/blob-files.ts'
import { hasSpace } from '../files/disk-space.ts'
import { type Files, hashed, nodeFiles, readHead, through, writeChunks } from '../files/files.ts'
import { blobPath } from '../files/layout.ts'
import { BackupForeign, StoreDamaged, StoreForTests, StoreUnavailable } from '../files/store-errors.ts'
import { closeFile, isSqlite, type OpenedFile, openChecked } from '../pages/database-file.ts'
import { blobCids, blobFoldersOf } from './backup-blobs.ts'
import { decodePortable, isPortable, type ReceiveBlob, type ReceiveDatabase } from './portable.ts'

export interface CheckOptions {
  /** The schema of the program; any version passes without it. */
  readonly schema?: Schema | undefined
  /** Decrypts a one-file backup. */
  readonly passphrase?: string | undefined
  /** Folders that may have the blobs of an SQLite backup, besides the one beside it. */
  readonly blobFolders?: readonly string[]
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256?: string | undefined
  /** An empty folder that the blobs are copied or linked to. */
  readonly blobsTo?: string
  readonly files?: Files
}

export interface CheckedBackup {
  /** From the content of the file; undefined for an SQLite backup. */
  readonly createdAt: Date | undefined
  /** CIDs of the blobs that the database names. */
  readonly blobs: readonly string[]
  /** The ones that the backup lacks. */
  readonly missingBlobs: readonly string[]
}

/** Prefix of the folders in which backups are checked. Each has a lock while it is used. */
export const scratchPrefix = 'check-'

/** Backups are compressed with a window of 8 MB at most. The default lets a file choose 128 MB. */
const zstdParams = { [constants.ZSTD_d_windowLogMax]: 23 }

/** The first bytes of a Zstandard frame. */
const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/**
 * Reads a backup, and writes its database to the file `databaseTo`. Checks that this program wrote it, its checksum if it has one,
 * SQLite's integrity check, and the content of each blob. Missing blobs are no error.
 * @param use gets the database opened, which is closed afterwards
 * @throws StoreDamaged, StoreTooNew, StoreTooOld, StoreForTests, BackupForeign, BackupLocked; then there is no file `databaseTo`
 */
export async function readBackup<T>(
  file: string,
  databaseTo: string,
  options: CheckOptions,
  use: (backup: CheckedBackup, opened: OpenedFile) => T | Promise<T>,
): Promise<T> {
  const { files = nodeFiles, schema } = options
  try {
    const received = await unpack(file, databaseTo, options)
    const opened = await openAs(file, files, databaseTo)
    try {
      if (schema) checkVersion(file, opened.sqlite, schema)
      const blobs = blobCids(opened.sqlite)
      const missingBlobs = received.blobs
        ? blobs.filter((cid) => !received.blobs?.has(cid))
        : await collectBlobs([...blobFoldersOf(file), ...(options.blobFolders ?? [])], blobs, options)
      return await use({ createdAt: received.createdAt, blobs, missingBlobs }, opened)
    } finally {
      await closeFile(opened)
    }
  } catch (error) {
    await files.remove(databaseTo).catch(() => {})
    throw error
  }
}

/**
 * Checks a backup as `readBackup` does. @param dir the data directory, which has room for its database meanwhile
 * @param use may look into the database
 */
export async function checkBackup<T = CheckedBackup>(
  dir: string,
  file: string,
  options: CheckOptions = {},
  use: (backup: CheckedBackup, opened: OpenedFile) => T | Promise<T> = (backup) => backup as T,
): Promise<T> {
  const { files = nodeFiles } = options
  const scratch = join(dir, `${scratchPrefix}${temporaryName(6)}`)
  await readHead(files, file)
  await files.makeDir(scratch)
  const lock = await files.lock(scratch)
  try {
    return await readBackup(file, join(scratch, 'database'), options, use)
  } finally {
    await lock.release()
    await files.removeDir(scratch)
  }
}

/** Whether this is a database, plain or compressed. */
export function isDatabase(head: Uint8Array): boolean {
  return isSqlite(head) || isCompressed(head)
}

function isCompressed(head: Uint8Array): boolean {
  return zstdMagic.equals(head.subarray(0, zstdMagic.length))
}

interface Unpacked {
  readonly createdAt: Date | undefined
  /** CIDs of the blobs that were in the file; undefined if they are beside it. */
  readonly blobs: ReadonlySet<string> | undefined
}

/** Writes the database of a backup. */
async function unpack(
  file: string,
  databaseTo: string,
  { files = nodeFiles, passphrase, blobsTo, sha256 }: CheckOptions,
): Promise<Unpacked> {
  const head = await readHead(files, file)
  if (!isPortable(head)) {
    if (!isDatabase(head)) throw new BackupForeign(file)
    const actual = await unpackDatabase(files, file, databaseTo, isCompressed(head))
    if (sha256 !== undefined && sha256 !== actual) throw new StoreDamaged(file, 'does not match its checksum')
    return { createdAt: undefined, blobs: undefined }
  }
  const blobs = new Set<string>()
  const receive: ReceiveBlob = async (cid, chunks, size) => {
    blobs.add(cid)
    if (blobsTo === undefined) return matchesCid(cid, chunks)
    await assertSpace(files, blobsTo, size)
    return writeBlob(files, blobsTo, cid, chunks)
  }
  const source = { head, chunks: files.chunks(file) }
  const receiveDatabase: ReceiveDatabase = async (chunks, size) => {
    await assertSpace(files, dirname(databaseTo), size)
    await writeChunks(files, databaseTo, chunks)
  }
  const createdAt = await decodePortable(file, source, passphrase, receive, receiveDatabase)
  if (blobsTo !== undefined) await syncBlobDirs(files, blobsTo, [...blobs])
  return { createdAt, blobs }
}

/** Copies or decompresses a database. Returns the SHA-256 of the file. */
async function unpackDatabase(files: Files, file: string, to: string, compressed: boolean): Promise<string> {
  const hash = createHash('sha256')
  const content = hashed(files.chunks(file), hash)
  const zstd = () => through(content, createZstdDecompress({ params: zstdParams }))
  try {
    await writeChunks(files, to, compressed ? bounded(files, file, dirname(to), zstd()) : content)
  } catch (error) {
    throw isOfZlib(error) ? new StoreDamaged(file, 'is damaged or cut short') : error
  }
  return hash.digest('hex')
}

/** Passes on a database up to the size that its header declares, if the disk has space for it. */
async function* bounded(
  files: Files,
  file: string,
  folder: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let head: Buffer | undefined = Buffer.alloc(0)
  let left = 0
  for await (const chunk of chunks) {
    const next: Uint8Array = head ? Buffer.concat([head, chunk]) : chunk
    if (head) {
      head = Buffer.from(next)
      if (head.length < databaseHeadBytes) continue
      left = declaredBytes(head)
      await assertSpace(files, folder, left)
      head = undefined
    }
    left -= next.length
    if (left < 0) throw new StoreDamaged(file, 'has more content than it declares')
    yield next
  }
}

/** Size of the header of a database, which has its page size at 16 (1 for 65536) and the number of its pages at 28. */
export const databaseHeadBytes = 100

/** Returns the bytes of a database; 0 for a file of another format. */
export function declaredBytes(head: Buffer): number {
  const pageBytes = head.readUInt16BE(16)
  return isSqlite(head) ? (pageBytes === 1 ? 65_536 : pageBytes) * head.readUInt32BE(28) : 0
}

/** @throws StoreUnavailable */
async function assertSpace(files: Files, folder: string, bytes: number): Promise<void> {
  if (await hasSpace(files, folder, bytes)) return
  const megabytes = Math.ceil(bytes / 1_000_000)
  throw new StoreUnavailable(
    `The backup needs ${megabytes} MB, more than the disk has free. Free disk space, or choose a data folder on another disk.`,
  )
}

function isOfZlib(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z|ZSTD)_/.test(String(error.code))
}

/** Opens the database of a backup. Errors name the backup. */
async function openAs(file: string, files: Files, path: string): Promise<OpenedFile> {
  try {
    return await openChecked(files, path)
  } catch (error) {
    if (error instanceof StoreForTests) throw new StoreForTests(file)
    throw error instanceof StoreDamaged ? new StoreDamaged(file, error.reason) : error
  }
}

/** Finds blobs in folders, and links them to `blobsTo`. Returns those that no folder has. */
export async function collectBlobs(
  folders: readonly string[],
  cids: readonly string[],
  { files = nodeFiles, blobsTo }: Pick<CheckOptions, 'files' | 'blobsTo'>,
): Promise<string[]> {
  const missing = new Set<string>()
  for (const cid of cids) {
    const found = await firstIntact(files, folders, cid)
    if (found === undefined) missing.add(cid)
    else if (blobsTo !== undefined) await linkBlob(files, found, blobsTo, cid)
  }
  if (blobsTo !== undefined) {
    const kept = cids.filter((cid) => !missing.has(cid))
    await syncBlobDirs(files, blobsTo, kept)
  }
  return [...missing]
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
