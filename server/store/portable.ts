/**
 * The one-file backup: a snapshot, compressed (gzip, RFC 1952) and encrypted with a passphrase (age-encryption.org/v1,
 * scrypt). Both are standard formats, so a file can be read without this program:
 *
 *     age --decrypt everything.sqlite.gz.age | gunzip > pds.sqlite
 *
 * An unprotected one is the gzip file alone. Its header has the time of the backup, to the second.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ReadableStream } from 'node:stream/web'
import { createGunzip, createGzip } from 'node:zlib'
import { Decrypter, Encrypter, type Identity } from 'age-encryption'
import { BackupLocked, StoreDamaged } from './errors.ts'

export interface PortableOptions {
  readonly createdAt: Date
  /** Without one, the file is not encrypted. */
  readonly passphrase?: string | undefined
  /** Binary logarithm of scrypt's N; tests use a low one. */
  readonly workFactor?: number
}

export interface PortableContent {
  readonly snapshot: Uint8Array
  /** To the second; undefined when another tool wrote the file without a time. */
  readonly createdAt: Date | undefined
}

const ageMagic = Buffer.from('age-encryption.org/v1\n')
/** Magic number, and 8 for deflate, the only compression method of the format. */
const gzipMagic = Buffer.from([0x1f, 0x8b, 8])
/** Offset of the time in a gzip header: seconds since 1970, little-endian. */
const gzipTimeAt = 4
/** OWASP's recommendation. Each attempt to guess a passphrase takes 128 MiB and half a second. */
const defaultWorkFactor = 17
const chunkBytes = 1024 * 1024
/** SQLite in WebAssembly opens no larger file. */
const maxSnapshotBytes = 2 ** 31 - 1

/** Whether this is a one-file backup, encrypted or not. */
export function isPortable(bytes: Uint8Array): boolean {
  return isEncrypted(bytes) || startsWith(bytes, gzipMagic)
}

/** Whether this is a file in the age format. */
export function isEncrypted(bytes: Uint8Array): boolean {
  return startsWith(bytes, ageMagic)
}

/** Returns a snapshot as a one-file backup, in chunks. */
export async function encodePortable(
  snapshot: Uint8Array,
  { createdAt, passphrase, workFactor = defaultWorkFactor }: PortableOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const compressed = compress(snapshot, createdAt)
  if (passphrase === undefined) return compressed
  const encrypter = new Encrypter()
  // Keyboards encode the same letter in several ways. NFC is the form that terminals send to the age tool.
  encrypter.setPassphrase(passphrase.normalize('NFC'))
  encrypter.setScryptWorkFactor(workFactor)
  return encrypter.encrypt(ReadableStream.from(compressed))
}

/**
 * Returns the content of a one-file backup. Ignores a passphrase if the file is not encrypted. `file` is its name in errors.
 * @throws BackupLocked, StoreDamaged
 */
export async function decodePortable(
  file: string,
  bytes: Uint8Array,
  passphrase: string | undefined,
): Promise<PortableContent> {
  const compressed = isEncrypted(bytes) ? await decrypt(file, bytes, passphrase) : chunksOf(bytes)
  try {
    return await decompress(compressed)
  } catch {
    throw new StoreDamaged(file, 'is damaged or cut short')
  }
}

/** Checks the passphrase against the header of an age file, and returns a stream that decrypts the content. */
async function decrypt(
  file: string,
  bytes: Uint8Array,
  passphrase: string | undefined,
): Promise<ReadableStream<Uint8Array>> {
  if (passphrase === undefined) throw new BackupLocked(file, 'missing')
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
    return await decrypter.decrypt(ReadableStream.from(chunksOf(bytes)))
  } catch {
    if (isWrong) throw new BackupLocked(file, 'wrong')
    throw new StoreDamaged(file, 'has a damaged header')
  }
}

async function* compress(snapshot: Uint8Array, createdAt: Date): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ chunkSize: chunkBytes })
  // A failure destroys the stream, and the loop throws it.
  pipeline(chunksOf(snapshot), gzip).catch(() => {})
  let isFirst = true
  for await (const chunk of gzip as AsyncIterable<Buffer>) {
    if (isFirst) chunk.writeUInt32LE(Math.floor(createdAt.getTime() / 1000), gzipTimeAt)
    isFirst = false
    yield chunk
  }
}

async function decompress(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<PortableContent> {
  const parts: Uint8Array[] = []
  let length = 0
  let seconds: number | undefined
  let end = Buffer.alloc(0)
  const inspect = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const each of chunks) {
      const chunk = Buffer.from(each.buffer, each.byteOffset, each.length)
      seconds ??= chunk.readUInt32LE(gzipTimeAt)
      end = Buffer.concat([end, chunk.subarray(-4)]).subarray(-4)
      yield chunk
    }
  }
  const collect = async (output: AsyncIterable<Buffer>) => {
    for await (const part of output) {
      length += part.length
      if (length > maxSnapshotBytes) throw new Error('too large')
      parts.push(part)
    }
  }
  const gunzip = createGunzip({ chunkSize: chunkBytes })
  await pipeline(Readable.from(source), inspect, gunzip, collect)
  // A gzip file ends in the length of its content. Node ignores what follows it, or appends a second file's content.
  if (seconds === undefined || end.readUInt32LE() !== length) throw new Error('not one whole gzip file')
  return {
    snapshot: Buffer.concat(parts, length),
    createdAt: seconds === 0 ? undefined : new Date(seconds * 1000),
  }
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

function startsWith(bytes: Uint8Array, magic: Buffer): boolean {
  return magic.equals(bytes.subarray(0, magic.length))
}
