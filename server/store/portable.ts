/**
 * The portable form of a backup: one file with accounts and keys, to be carried to another machine, and protected by a
 * passphrase if wanted. All numbers are big-endian.
 *
 *     offset  bytes
 *          0      8  "PDSback\n"
 *          8      1  version of this form
 *          9      1  protection: 0 none, 1 passphrase
 *         10      3  scrypt (RFC 7914): binary logarithm of N, r, p
 *         13      3  zero
 *         16      8  when it was made, milliseconds since 1970
 *         24      8  bytes of the snapshot
 *         32     16  salt of scrypt
 *         48     12  nonce of AES-256-GCM
 *         60      4  zero
 *         64         the snapshot, compressed (RFC 1952); with a passphrase encrypted by AES-256-GCM, the 64 bytes before it being
 *                    authenticated too, and followed by the tag of 16 bytes
 *        end     32  SHA-256 of everything before
 *
 * The SHA-256 tells damage from a wrong passphrase; whether the file was made by someone who knows the passphrase, the tag tells.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { BackupLocked, StoreDamaged, StoreTooNew } from './errors.ts'

export interface PortableOptions {
  readonly createdAt: Date
  /** Left out, whoever has the file can read it. */
  readonly passphrase?: string
  /** Binary logarithm of scrypt's N; tests take a low one. */
  readonly cost?: number
}

export interface PortableHeader {
  readonly createdAt: Date
  /** Whether it takes a passphrase to read it. */
  readonly encrypted: boolean
  /** Size of the snapshot in it. */
  readonly bytes: number
}

interface ScryptParameters {
  readonly cost: number
  readonly r: number
  readonly p: number
  readonly salt: Uint8Array
}

const magic = Buffer.from('PDSback\n')
const formatVersion = 1
const headerBytes = 64
const tagBytes = 16
const sumBytes = 32
/** A file asks for no more memory than this to have its passphrase tried: 2^20 · 128 · 8 is 1 GiB. */
const maxCost = 20
/** What SQLite can hold in WebAssembly's memory, and one call of the cipher can take. */
const maxSnapshotBytes = 2 ** 31 - 1
const cipher = 'aes-256-gcm'

export function isPortable(bytes: Uint8Array): boolean {
  return magic.equals(bytes.subarray(0, magic.length))
}

/** A snapshot as a portable backup. */
export async function encodePortable(
  snapshot: Uint8Array,
  { createdAt, passphrase, cost = 17 }: PortableOptions,
): Promise<Uint8Array> {
  const header = Buffer.alloc(headerBytes)
  magic.copy(header)
  header.writeUInt8(formatVersion, 8)
  header.writeBigUInt64BE(BigInt(createdAt.getTime()), 16)
  header.writeBigUInt64BE(BigInt(snapshot.length), 24)
  const compressed = await promisify(gzip)(snapshot)
  if (passphrase === undefined) return withSum([header, compressed])

  header.set([1, cost, 8, 1], 9)
  header.set(randomBytes(16), 32)
  header.set(randomBytes(12), 48)
  const key = await deriveKey(passphrase, scryptOf(header))
  const encryption = createCipheriv(cipher, key, nonceOf(header)).setAAD(header)
  const body = [encryption.update(compressed), encryption.final()]
  return withSum([header, ...body, encryption.getAuthTag()])
}

/**
 * What a portable backup says of itself, once its checksum is found right. `file` names it in errors.
 * @throws StoreTooNew, StoreDamaged
 */
export function readPortableHeader(file: string, bytes: Uint8Array): PortableHeader {
  const { header } = split(file, bytes)
  return {
    createdAt: new Date(Number(header.readBigUInt64BE(16))),
    encrypted: header.readUInt8(9) === 1,
    bytes: Number(header.readBigUInt64BE(24)),
  }
}

/**
 * The snapshot in a portable backup; a passphrase that it does not need is ignored.
 * @throws StoreTooNew, StoreDamaged, BackupLocked
 */
export async function decodePortable(
  file: string,
  bytes: Uint8Array,
  passphrase: string | undefined,
): Promise<Uint8Array> {
  const { header, body } = split(file, bytes)
  const { encrypted, bytes: length } = readPortableHeader(file, bytes)
  const compressed = encrypted ? await decrypt(file, header, body, passphrase) : body
  try {
    const snapshot = await promisify(gunzip)(compressed, { maxOutputLength: length })
    if (snapshot.length === length) return snapshot
  } catch {
    // Not compressed data, or more than was announced.
  }
  throw new StoreDamaged(file, 'does not hold what it announces')
}

function withSum(parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return Buffer.concat([...parts, hash.digest()])
}

function split(file: string, bytes: Uint8Array): { header: Buffer; body: Buffer } {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const version = content[magic.length] ?? 0
  // Nothing else is known of a later form.
  if (version > formatVersion) throw new StoreTooNew(file, version, formatVersion)
  if (content.length < headerBytes + sumBytes) throw new StoreDamaged(file, 'is cut short')
  const summed = content.subarray(0, -sumBytes)
  if (!createHash('sha256').update(summed).digest().equals(content.subarray(-sumBytes))) {
    throw new StoreDamaged(file, 'does not match its checksum')
  }
  const header = summed.subarray(0, headerBytes)
  if (!isPlausible(header)) throw new StoreDamaged(file, 'asks for what no backup needs')
  return { header, body: summed.subarray(headerBytes) }
}

/** Keeps a made-up file from asking for all of the memory. */
function isPlausible(header: Buffer): boolean {
  const { cost, r, p } = scryptOf(header)
  const encrypted = header.readUInt8(9) === 1
  return (
    header.readBigUInt64BE(24) <= maxSnapshotBytes &&
    (!encrypted || (cost > 0 && cost <= maxCost && r === 8 && p === 1))
  )
}

async function decrypt(
  file: string,
  header: Buffer,
  body: Buffer,
  passphrase: string | undefined,
): Promise<Uint8Array> {
  if (passphrase === undefined) throw new BackupLocked(file, 'missing')
  const key = await deriveKey(passphrase, scryptOf(header))
  const decryption = createDecipheriv(cipher, key, nonceOf(header), { authTagLength: tagBytes })
  try {
    decryption.setAAD(header).setAuthTag(body.subarray(-tagBytes))
    return Buffer.concat([decryption.update(body.subarray(0, -tagBytes)), decryption.final()])
  } catch {
    throw new BackupLocked(file, 'wrong')
  }
}

function scryptOf(header: Buffer): ScryptParameters {
  const [cost = 0, r = 0, p = 0] = header.subarray(10, 13)
  return { cost, r, p, salt: header.subarray(32, 48) }
}

function nonceOf(header: Buffer): Buffer {
  return header.subarray(48, 60)
}

/** The passphrase in one form (NFKC), for keyboards write the same letters in several. */
async function deriveKey(passphrase: string, { cost, r, p, salt }: ScryptParameters): Promise<Buffer> {
  const N = 2 ** cost
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  scrypt(passphrase.normalize('NFKC'), salt, 32, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
    error ? reject(error) : resolve(key),
  )
  return promise
}
