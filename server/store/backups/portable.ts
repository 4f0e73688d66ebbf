/**
 * The one-file backup: an archive (tar) of the database and the blobs, compressed (gzip, RFC 1952) and encrypted with a
 * passphrase (age-encryption.org/v1, scrypt). All are standard formats, so a file can be read without this program, and
 * its content is a data directory:
 *
 *     age --decrypt everything.tar.gz.age | tar -xz -C DIR
 *
 * An unprotected one is the tar.gz file alone. The gzip header has the time of the backup, to the second. Nothing is in memory as a
 * whole.
 */
import { ReadableStream } from 'node:stream/web'
import { constants, createGunzip, createGzip } from 'node:zlib'
import type { Identity } from 'age-encryption'
import { loadAge } from '../../util/age.ts'
import { through } from '../files/files.ts'
import { blobsName, databaseName, isBlobName } from '../files/layout.ts'
import { BackupLocked, StoreDamaged, StoreUnavailable } from '../files/store-errors.ts'
import { readTar, type TarFile, writeTar } from './tar.ts'

export interface PortableOptions {
  readonly createdAt: Date
  /** If undefined, the file is unencrypted. */
  readonly passphrase?: string | undefined
  /** Binary logarithm of scrypt's N; tests use a low one. */
  readonly workFactor?: number
}

const ageMagic = Buffer.from('age-encryption.org/v1\n')
/** Magic number, and 8 for deflate, the only compression method of the format. */
const gzipMagic = Buffer.from([0x1f, 0x8b, 8])
/** Offset of the time in a gzip header: seconds since 1970, little-endian. */
const gzipTimeAt = 4
/** OWASP's recommendation. Each attempt to guess a passphrase takes 128 MiB and half a second. */
const defaultWorkFactor = 17
const chunkBytes = 1024 * 1024

/** Whether this is a one-file backup, encrypted or not. */
export function isPortable(bytes: Uint8Array): boolean {
  return isEncrypted(bytes) || startsWith(bytes, gzipMagic)
}

/** Whether this is a file in the age format. */
export function isEncrypted(bytes: Uint8Array): boolean {
  return startsWith(bytes, ageMagic)
}

/** Returns a database and its blobs as a one-file backup, in chunks. */
export async function encodePortable(
  database: TarFile,
  blobs: AsyncIterable<TarFile>,
  { createdAt, passphrase, workFactor = defaultWorkFactor }: PortableOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const compressed = compress(database, blobs, createdAt)
  if (passphrase === undefined) return compressed
  const { Encrypter } = await loadAge()
  const encrypter = new Encrypter()
  // Keyboards encode the same letter in several ways. NFC is the form that terminals send to the age tool.
  encrypter.setPassphrase(passphrase.normalize('NFC'))
  encrypter.setScryptWorkFactor(workFactor)
  return encrypter.encrypt(ReadableStream.from(compressed))
}

/** Stores the content of a blob of `size` bytes, or only checks it. Returns whether it matches the CID. */
export type ReceiveBlob = (cid: string, chunks: AsyncIterable<Uint8Array>, size: number) => Promise<boolean>

/** Stores the database, of `size` bytes. */
export type ReceiveDatabase = (chunks: AsyncIterable<Uint8Array>, size: number) => Promise<void>

/**
 * Passes on the content of a one-file backup. Returns when it was made, to the second; undefined if another tool wrote the file without
 * a time. Ignores a passphrase if the file is not encrypted. `file` is its name in errors, `head` its first bytes.
 * @throws BackupLocked, StoreDamaged, and errors of `receive` and `receiveDatabase`
 */
export async function decodePortable(
  file: string,
  { head, chunks }: { head: Uint8Array; chunks: AsyncIterable<Uint8Array> },
  passphrase: string | undefined,
  receive: ReceiveBlob,
  receiveDatabase: ReceiveDatabase,
): Promise<Date | undefined> {
  const compressed = isEncrypted(head) ? await decrypt(file, chunks, passphrase) : chunks
  try {
    return await decompress(compressed, receive, receiveDatabase)
  } catch (error) {
    throw isOfDisk(error) ? error : new StoreDamaged(file, 'is damaged or cut short')
  }
}

/** Whether the file system refused to write, rather than the content of the backup. */
function isOfDisk(error: unknown): boolean {
  const isWrite = error instanceof Error && 'syscall' in error && error.syscall !== 'read'
  return isWrite || error instanceof StoreUnavailable
}

/** Checks the passphrase against the header of an age file, and returns a stream that decrypts the content. */
async function decrypt(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  passphrase: string | undefined,
): Promise<AsyncIterable<Uint8Array>> {
  if (passphrase === undefined) throw new BackupLocked(file, 'missing')
  const { Decrypter } = await loadAge()
  const decrypter = new Decrypter()
  for (const form of new Set([passphrase.normalize('NFC'), passphrase])) decrypter.addPassphrase(form)
  // The library asks this identity last: only if no passphrase fits.
  let isWrong = false
  const last: Identity = {
    unwrapFileKey() {
      isWrong = true
      return null
    },
  }
  decrypter.addIdentity(last)
  try {
    return await decrypter.decrypt(ReadableStream.from(chunks))
  } catch {
    if (isWrong) throw new BackupLocked(file, 'wrong')
    throw new StoreDamaged(file, 'has a damaged header')
  }
}

/** Compresses the database. The blobs are mostly media, which are compressed already. */
async function* compress(
  database: TarFile,
  blobs: AsyncIterable<TarFile>,
  createdAt: Date,
): AsyncGenerator<Uint8Array> {
  const files = async function* () {
    yield database
    yield* blobs
  }
  const archive = writeTar(files(), createdAt)
  try {
    yield* gzip(first(archive, database.size), createdAt)
    yield* gzip(archive, createdAt, { level: constants.Z_NO_COMPRESSION })
  } finally {
    await archive.return(undefined)
  }
}

/** Passes on so many bytes or a few more, and leaves the rest. */
async function* first(chunks: AsyncGenerator<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  for (let left = bytes; left > 0; ) {
    const { done, value } = await chunks.next()
    if (done) return
    left -= value.length
    yield value
  }
}

/** Yields a member of a gzip file. Members that follow each other decompress to one content. */
async function* gzip(
  content: AsyncIterable<Uint8Array>,
  createdAt: Date,
  options?: { readonly level: number },
): AsyncGenerator<Uint8Array> {
  let isFirst = true
  for await (const chunk of through(content, createGzip({ chunkSize: chunkBytes, ...options }))) {
    if (isFirst) chunk.writeUInt32LE(Math.floor(createdAt.getTime() / 1000), gzipTimeAt)
    isFirst = false
    yield chunk
  }
}

async function decompress(
  source: AsyncIterable<Uint8Array>,
  receive: ReceiveBlob,
  receiveDatabase: ReceiveDatabase,
): Promise<Date | undefined> {
  let length = 0
  let seconds: number | undefined
  const inspect = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const each of chunks) {
      const chunk = Buffer.from(each.buffer, each.byteOffset, each.length)
      seconds ??= chunk.readUInt32LE(gzipTimeAt)
      length += chunk.length
      yield chunk
    }
  }
  const gunzip = createGunzip({ chunkSize: chunkBytes })
  const isWhole = await unpack(through(inspect(source), gunzip), receive, receiveDatabase)
  // Node ignores zeros that follow a gzip file.
  if (seconds === undefined || !isWhole || gunzip.bytesWritten !== length) {
    throw new Error('not a whole gzip file')
  }
  return seconds === 0 ? undefined : new Date(seconds * 1000)
}

/** Passes on the content of the archive. Returns whether it has a database. */
async function unpack(
  archive: AsyncIterable<Uint8Array>,
  receive: ReceiveBlob,
  receiveDatabase: ReceiveDatabase,
): Promise<boolean> {
  let hasDatabase = false
  for await (const file of readTar(archive)) {
    const cid = blobOf(file)
    if (file.name === databaseName) {
      await receiveDatabase(file.content, file.size)
      hasDatabase = true
    } else if (cid !== undefined && !(await receive(cid, file.content, file.size)))
      throw new Error(`${file.name} is damaged`)
  }
  return hasDatabase
}

/** Returns the CID of a file in the folder of blobs. */
function blobOf({ name }: TarFile): string | undefined {
  const [folder, shard, cid = '', ...rest] = name.split('/')
  const isBlob = folder === blobsName && isBlobName(cid) && cid.endsWith(shard ?? '') && rest.length === 0
  return isBlob ? cid : undefined
}

function startsWith(bytes: Uint8Array, magic: Buffer): boolean {
  return magic.equals(bytes.subarray(0, magic.length))
}
