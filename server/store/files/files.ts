/**
 * Every file operation of the store goes through `Files`, so that a test can make any of them fail or cut the power after
 * it.
 */
import { createHash, type Hash } from 'node:crypto'
import { closeSync, constants, createReadStream, fstatSync, openSync, readSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Duplex, pipeline, Readable } from 'node:stream'
import { pause } from '../../util/deadlines.ts'
import { parseJson } from '../../util/json.ts'
import { acquireLock, type Lock } from './lock.ts'
import { StoreDamaged, StoreInUse } from './store-errors.ts'

export interface OpenFile {
  /** Returns the bytes written, which may be fewer than given: see `writeFully`. */
  write(bytes: Uint8Array, position: number): Promise<number>
  /** Whether written bytes are on disk when `write` resolves. Otherwise, and for `truncate`, call `sync`. */
  readonly durableWrites?: boolean
  truncate(length: number): Promise<void>
  /** Resolves once the content and the length are on disk. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** A file for reading at once, by the thread that asks. */
export interface ReadableFile {
  /** In bytes, at this moment. */
  size(): number
  /** Reads into all of `into`, and returns the bytes read: fewer at the end of the file. */
  readBlocking(into: Uint8Array, position: number): number
  close(): Promise<void>
}

export interface OpenOptions {
  /** Asks for a file with `durableWrites`, for small writes that are synced one by one. */
  readonly durableWrites?: boolean
}

export interface Measured {
  /** Sum of the sizes of all files. */
  readonly bytes: number
  /** Time of the last content change of any file; undefined without files. */
  readonly changedAt: Date | undefined
}

export interface Files {
  /** True for the disk of a network for tests: it has databases for tests and no others, which real disks refuse. */
  readonly isForTests?: true
  /** Names in a directory; empty if it is missing. */
  list(dir: string): Promise<string[]>
  read(path: string): Promise<Uint8Array>
  /** Opens an existing file for reading. */
  open(path: string): Promise<ReadableFile>
  /** Reads a file in chunks, and closes it when the reader stops. `end` is exclusive. */
  chunks(path: string, start?: number, end?: number): AsyncIterable<Uint8Array>
  /** In bytes. */
  size(path: string): Promise<number>
  /** Measures a directory with all its content, links excepted; undefined if the path is no directory. */
  measureDir(path: string): Promise<Measured | undefined>
  /** Bytes that may still be written in an existing directory. */
  freeBytes(dir: string): Promise<number>
  /** Time of the last content change. */
  changedAt(path: string): Promise<Date>
  /** Creates an empty file that only its owner can read; replaces an existing one. */
  create(path: string, options?: OpenOptions): Promise<OpenFile>
  /** Opens an existing file for writing. */
  edit(path: string, options?: OpenOptions): Promise<OpenFile>
  rename(from: string, to: string): Promise<void>
  /**
   * Gives a file that never changes a second name: a hard link, or a synced copy where the file system has no links.
   * Does nothing when the name is taken.
   */
  link(from: string, to: string): Promise<void>
  /** Whether two paths are names of one file. Both must exist. */
  isSame(one: string, other: string): Promise<boolean>
  remove(path: string): Promise<void>
  /** Removes a directory with its content, if there is one. */
  removeDir(path: string): Promise<void>
  /** Creates the directory and its parents, durably. Restricts an existing one to its owner. */
  makeDir(path: string): Promise<void>
  /** Restricts an existing file to its owner. */
  restrict(path: string): Promise<void>
  /** Whether only its owner can read a file. True on Windows, where a data folder is in the folder of its user. */
  isPrivate(path: string): Promise<boolean>
  /** Takes the lock of an existing directory. Throws StoreLocked while another process holds it. */
  lock(dir: string): Promise<Lock>
  /** Resolves once creations, renames and removals in the directory are on disk. */
  syncDir(path: string): Promise<void>
}

const chunkBytes = 256 * 1024
const ownerFile = 0o600
const ownerDir = 0o700

/**
 * With O_DSYNC a write and its sync are one call in the thread pool. On Linux it flushes the disk's cache as fdatasync does;
 * on macOS only the F_FULLFSYNC of libuv's fdatasync does, and Windows does not have it.
 */
const durableFlag = process.platform === 'linux' ? constants.O_DSYNC : 0

async function openFile(path: string, flags: number, options?: OpenOptions): Promise<OpenFile> {
  const dsync = options?.durableWrites ? durableFlag : 0
  const handle = await fs.open(path, flags | dsync, ownerFile)
  return {
    write: async (bytes, position) => (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
    durableWrites: dsync !== 0,
    truncate: (length) => handle.truncate(length),
    sync: () => handle.datasync(),
    close: () => handle.close(),
  }
}

async function openForReading(path: string): Promise<ReadableFile> {
  const fd = openSync(path, constants.O_RDONLY)
  return {
    size: () => fstatSync(fd).size,
    readBlocking(into, position) {
      let read = 0
      while (read < into.length) {
        const count = readSync(fd, into, read, into.length - read, position + read)
        if (count === 0) break
        read += count
      }
      return read
    },
    close: async () => closeSync(fd),
  }
}

function readChunks(path: string, start = 0, end = Number.POSITIVE_INFINITY): Readable {
  if (end <= start) return Readable.from([])
  // Each read allocates that much, also at the end of a small file: the garbage collector would run for each.
  const highWaterMark = Math.min(chunkBytes, end - start)
  return createReadStream(path, { start, end: end - 1, highWaterMark })
}

/** Error codes of file systems without hard links, of links to another file system, and of too many links. */
const noLinkCodes = ['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'EMLINK']

async function link(from: string, to: string): Promise<void> {
  try {
    await fs.link(from, to)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (!noLinkCodes.includes(code)) throw error
    await copy(from, to)
  }
}

async function isSame(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map((path) => fs.stat(path, { bigint: true })))
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev
}

/** Copies a file. A crash leaves no part of it under its name. */
async function copy(from: string, to: string): Promise<void> {
  const temporary = `${to}.tmp`
  await fs.copyFile(from, temporary, constants.COPYFILE_FICLONE)
  const handle = await fs.open(temporary, 'r+')
  try {
    await handle.chmod(ownerFile)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await fs.rename(temporary, to)
}

async function syncDir(path: string): Promise<void> {
  // Windows has no such operation: its file systems order these changes themselves.
  if (process.platform === 'win32') return
  const handle = await fs.open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A virus scanner has a new file open for a moment: on Windows, a refused rename is tried so often. */
const renameTries = 10
const renamePauseMs = 50

/** Renames a file or a directory. @throws StoreInUse on Windows, after half a second */
export async function renameFile(
  from: string,
  to: string,
  { platform = process.platform, rename = fs.rename } = {},
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(from, to)
    } catch (error) {
      if (platform !== 'win32' || !isInUse(error)) throw error
      if (attempt === renameTries) throw new StoreInUse(to, error)
      await pause(renamePauseMs)
    }
  }
}

async function measureDir(path: string): Promise<Measured | undefined> {
  try {
    if (!(await fs.lstat(path)).isDirectory()) return undefined
    let bytes = 0
    let changedMs = Number.NEGATIVE_INFINITY
    for (const entry of await fs.readdir(path, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile()) continue
      const { size, mtime } = await fs.lstat(join(entry.parentPath, entry.name))
      bytes += size
      changedMs = Math.max(changedMs, mtime.getTime())
    }
    return { bytes, changedAt: Number.isFinite(changedMs) ? new Date(changedMs) : undefined }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** The real file system. */
export const nodeFiles: Files = {
  async list(dir) {
    try {
      return await fs.readdir(dir)
    } catch (error) {
      if (isMissing(error)) return []
      throw error
    }
  },
  read: (path) => fs.readFile(path),
  open: openForReading,
  chunks: readChunks,
  size: async (path) => (await fs.stat(path)).size,
  measureDir,
  freeBytes,
  changedAt: async (path) => (await fs.stat(path)).mtime,
  async create(path, options) {
    // An existing file is removed instead of emptied: it may have another owner, or be a link.
    await fs.rm(path, { force: true })
    return openFile(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, options)
  },
  edit: (path, options) => openFile(path, constants.O_RDWR, options),
  rename: renameFile,
  link,
  isSame,
  remove: (path) => fs.rm(path, { force: true }),
  removeDir: (path) => fs.rm(path, { recursive: true, force: true }),
  async makeDir(path) {
    const whole = resolve(path)
    const first = await makeMissing(whole)
    await fs.chmod(whole, ownerDir)
    if (first === undefined) return
    for (let made = whole; made.length >= first.length; made = dirname(made)) await syncDir(dirname(made))
  },
  restrict: (path) => fs.chmod(path, ownerFile),
  isPrivate: async (path) => process.platform === 'win32' || ((await fs.stat(path)).mode & 0o077) === 0,
  lock: acquireLock,
  syncDir,
}

/**
 * Creates a folder and its missing parents. Returns the first one of them; undefined if all exist. `mkdir` of Node.js tries without end
 * in a folder that is there but takes no folders, such as /proc.
 */
async function makeMissing(path: string): Promise<string | undefined> {
  const found = await fs.stat(path).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
  if (found?.isDirectory()) return undefined
  const first = await makeMissing(dirname(path))
  try {
    await fs.mkdir(path, ownerDir)
  } catch (error) {
    // Another process may have made it.
    if (found || (error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return first ?? path
}

/** Whether a file operation failed because there is no such file. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Whether a part of a file cannot be read: a damaged sector, or one that fails the checksum of the file system. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && unreadableCodes.includes(String(error.code))
}

/** Whether data are damaged, or the disk cannot read them. */
export function isDamage(error: unknown): boolean {
  return error instanceof StoreDamaged || isUnreadable(error)
}

const unreadableCodes = ['EIO', 'EBADMSG', 'EUCLEAN']

/** Reads a file of the data. The system's error of a damaged sector names no file. @throws StoreDamaged */
export async function readData(files: Files, path: string): Promise<Uint8Array> {
  return files.read(path).catch((error: unknown) => {
    if (!isUnreadable(error)) throw error
    const reason = 'cannot be read, because the disk failed. Copy the data folder to another disk first'
    throw new StoreDamaged(path, reason)
  })
}

/** Reads a file up to the first part that the disk cannot read. */
export async function readIntact(
  files: Files,
  path: string,
): Promise<{ readonly content: Buffer; readonly isWhole: boolean }> {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of files.chunks(path)) chunks.push(Buffer.from(chunk))
    return { content: Buffer.concat(chunks), isWhole: true }
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return { content: Buffer.concat(chunks), isWhole: false }
  }
}

/** Whether Windows refused to replace or move a file because another process or reader has it open. */
export function isInUse(error: unknown): error is NodeJS.ErrnoException {
  const { code } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  return code === 'EPERM' || code === 'EACCES' || code === 'EBUSY'
}

/** Reads a file; undefined if it does not exist. */
export async function readIfThere(files: Files, path: string): Promise<Uint8Array | undefined> {
  try {
    return await files.read(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Returns the size of a file; undefined if it does not exist. */
export async function sizeIfThere(files: Files, path: string): Promise<number | undefined> {
  try {
    return await files.size(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Writes all of `bytes`: on a nearly full disk one write may store only a part, without an error. */
export async function writeFully(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    const count = await file.write(bytes.subarray(written), position + written)
    if (count <= 0) throw new Error('the disk accepts no more bytes')
    written += count
  }
}

/** Content in parts, which are in memory one at a time. */
export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** Writes a file as its content arrives, and syncs it unless it is temporary. Its name is on disk after `syncDir`. */
export async function writeChunks(
  files: Files,
  path: string,
  chunks: Chunks,
  lifetime?: 'temporary',
): Promise<void> {
  const file = await files.create(path)
  try {
    let position = 0
    for await (const chunk of chunks) {
      await writeFully(file, chunk, position)
      position += chunk.length
    }
    if (lifetime === undefined) await file.sync()
  } finally {
    await file.close()
  }
}

/** Replaces a file. A crash at any point leaves the whole old or the whole new one. */
export async function replaceFile(
  files: Files,
  path: string,
  ...parts: readonly Uint8Array[]
): Promise<void> {
  await replaceByChunks(files, path, parts)
}

/** Returns the content of a JSON file; undefined if it is missing, damaged or on a damaged sector. */
export async function readJson<T>(files: Files, path: string): Promise<T | undefined> {
  try {
    const bytes = await readIfThere(files, path)
    return bytes && (parseJson(Buffer.from(bytes)) as T | undefined)
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

export async function replaceJson(files: Files, path: string, value: unknown): Promise<void> {
  await replaceFile(files, path, Buffer.from(`${JSON.stringify(value)}\n`))
}

/**
 * As `replaceFile`, of content that arrives in parts. A failure removes the parts, as the disk may be full.
 * @param verify gets the path of the new file before it has its name; if it throws, the old file stays
 */
export async function replaceByChunks(
  files: Files,
  path: string,
  chunks: Chunks,
  verify?: (written: string) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.tmp`
  try {
    await writeChunks(files, temporary, chunks)
    await verify?.(temporary)
    await files.rename(temporary, path)
  } catch (error) {
    await files.remove(temporary).catch(() => {})
    throw error
  }
  await files.syncDir(dirname(path))
}

/** Returns the output of a transformation; an error of its input ends it. */
export function through(input: AsyncIterable<Uint8Array>, transform: Duplex): AsyncIterable<Buffer> {
  return pipeline(input, transform, () => {})
}

/** Passes content on, and adds it to a hash. */
export async function* hashed(chunks: Chunks, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}

/** Returns the SHA-256 of content, in hexadecimal. */
export async function sha256Of(chunks: Chunks): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

/** Returns the bytes that this process may still write in a folder. */
async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await fs.statfs(folder)
  return bavail * bsize
}

/** Bytes that show the kind of a file. */
const headBytes = 64

/** Returns the first 64 bytes of a file, or all of a shorter one. Throws StoreDamaged when there is no such file. */
export async function readHead(files: Files, file: string): Promise<Buffer> {
  const parts: Uint8Array[] = []
  try {
    for await (const chunk of files.chunks(file, 0, headBytes)) parts.push(chunk)
  } catch (error) {
    throw isMissing(error) ? new StoreDamaged(file, 'is missing') : error
  }
  return Buffer.concat(parts)
}
