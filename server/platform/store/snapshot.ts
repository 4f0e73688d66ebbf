/**
 * The snapshot: the whole database as a normal SQLite file that any tool opens, with the number of its last transaction.
 *
 * Beside it is a list with its SHA-256, in the format of `sha256sum -c`. While a snapshot is replaced, the list has the
 * checksums of the old and the new one, so that it has the right one after a crash between any two steps. A snapshot without
 * a list, or with a damaged one, was put there by a person or a restore; it must pass SQLite's integrity check instead.
 */
import { createHash, type Hash } from 'node:crypto'
import { join } from 'node:path'
import { StoreDamaged, StoreTooNew } from './errors.ts'
import { type Files, prepareFile, readIfThere, replaceFile } from './files.ts'
import type { FrozenPages } from './frozen-pages.ts'
import { sidecarName, snapshotName } from './layout.ts'
import { Sqlite } from './sqlite.ts'

/** "PDS1": the application id in the SQLite files of this program. */
const applicationId = 0x50445331
const formatVersion = 1
/** The first bytes of every SQLite file. */
const sqliteMagic = Buffer.from('SQLite format 3\0')

export interface Snapshot {
  readonly sqlite: Sqlite
  /** Number of the last transaction in it. */
  readonly seq: number
  readonly bytes: number
  /** Whether it has a checksum beside it. */
  readonly hasChecksum: boolean
  /** Whether its checksum is damaged: the snapshot has passed SQLite's integrity check instead. */
  readonly hasDamagedChecksum: boolean
}

/** Creates an empty database with our application id. */
export async function createSqlite(): Promise<Sqlite> {
  const sqlite = await Sqlite.open()
  sqlite.exec(
    `PRAGMA application_id = ${applicationId};
     CREATE TABLE store_meta (seq INTEGER NOT NULL, format INTEGER NOT NULL) STRICT;
     INSERT INTO store_meta VALUES (0, ${formatVersion})`,
  )
  return sqlite
}

/** Exports the database as a snapshot up to transaction `seq`. */
export function exportSnapshot(sqlite: Sqlite, seq: number): Uint8Array {
  sqlite.exec(`UPDATE store_meta SET seq = ${seq}`)
  return sqlite.export()
}

/** Returns the database as a snapshot up to transaction `seq`, to be read while it changes; undefined if that is not possible. */
export function freezeSnapshot(sqlite: Sqlite, seq: number): FrozenPages | undefined {
  sqlite.exec(`UPDATE store_meta SET seq = ${seq}`)
  return sqlite.freeze()
}

/** Reads the snapshot of a data directory. Throws StoreDamaged when it is missing or fails its check. */
export async function readSnapshot(files: Files, dir: string): Promise<Snapshot> {
  const path = join(dir, snapshotName)
  // The list first: a read during a replacement then fails the check instead of passing with the wrong checksum.
  const list = await readIfThere(files, join(dir, sidecarName))
  const bytes = await readIfThere(files, path, 'with room')
  if (bytes === undefined) throw new StoreDamaged(path, 'is missing')
  const match = list && compareChecksum(bytes, list)
  if (match === 'other') throw new StoreDamaged(path, 'does not match its checksum')
  const hasChecksum = match === 'same'
  const { length } = bytes
  const { sqlite, seq } = await openSnapshot(path, bytes, hasChecksum ? 'quick' : 'thorough')
  release(bytes)
  return { sqlite, seq, bytes: length, hasChecksum, hasDamagedChecksum: match === 'unknown' }
}

/** Frees the memory at once: a server that has just started allocates too little to trigger the garbage collector. */
function release(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.length) buffer.transfer(0)
}

/**
 * Opens the bytes of a snapshot or backup. Throws StoreDamaged when this program did not write them or, if `check` is
 * thorough, when they fail SQLite's integrity check; StoreTooNew when a newer program wrote them.
 */
export async function openSnapshot(
  path: string,
  bytes: Uint8Array,
  check: 'quick' | 'thorough',
): Promise<{ sqlite: Sqlite; seq: number }> {
  const sqlite = await Sqlite.open(bytes).catch(() => {
    throw new StoreDamaged(path, 'is not a readable SQLite file')
  })
  try {
    const meta = readMeta(sqlite)
    if (meta === undefined) throw new StoreDamaged(path, 'is not a database of this program')
    if (meta.format > formatVersion) throw new StoreTooNew(path, meta.format, formatVersion)
    if (check === 'thorough' && !isSound(sqlite))
      throw new StoreDamaged(path, "fails SQLite's integrity check")
    return { sqlite, seq: meta.seq }
  } catch (error) {
    sqlite.close()
    throw error
  }
}

export function isSqlite(bytes: Uint8Array): boolean {
  return sqliteMagic.equals(bytes.subarray(0, sqliteMagic.length))
}

/** Whether the database passes SQLite's integrity check. */
export function isSound(sqlite: Sqlite): boolean {
  try {
    const problems = sqlite.all<{ integrity_check: string }>('PRAGMA integrity_check')
    return problems.length === 1 && problems[0]?.integrity_check === 'ok'
  } catch {
    return false
  }
}

/** The version of the schema; 0: the database has none yet. */
export function schemaVersion(sqlite: Sqlite): number {
  return sqlite.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
}

/** Replaces the snapshot of a data directory. Reads `chunks` once, each when the one before is written. */
export async function putSnapshot(files: Files, dir: string, chunks: Iterable<Uint8Array>): Promise<void> {
  const [path, sidecar] = [join(dir, snapshotName), join(dir, sidecarName)]
  const hash = createHash('sha256')
  const replace = await prepareFile(files, path, hashed(chunks, hash))
  const old = await readIfThere(files, sidecar)
  if (old === undefined) return replace()
  const line = lineOf(hash, snapshotName)
  await replaceFile(files, sidecar, Buffer.concat([old, line]))
  await replace()
  await replaceFile(files, sidecar, line)
}

function* hashed(chunks: Iterable<Uint8Array>, hash: Hash): Generator<Uint8Array> {
  for (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}

/** Writes the checksum of the existing snapshot. */
export async function writeChecksum(files: Files, dir: string): Promise<void> {
  const bytes = await files.read(join(dir, snapshotName))
  await replaceFile(files, join(dir, sidecarName), checksumLine(bytes, snapshotName))
}

/** Returns the checksum as `sha256sum` prints it. */
export function checksumLine(bytes: Uint8Array, name: string): Buffer {
  return lineOf(createHash('sha256').update(bytes), name)
}

function lineOf(hash: Hash, name: string): Buffer {
  return Buffer.from(`${hash.digest('hex')}  ${name}\n`)
}

/**
 * Compares a snapshot with its list of checksums. `unknown`: the list is damaged and says nothing about the snapshot. A checksum
 * that differs in one character is a damaged list: other content would differ in nearly all.
 */
export function compareChecksum(bytes: Uint8Array, list: Uint8Array): 'same' | 'other' | 'unknown' {
  const lines = Buffer.from(list)
    .toString('latin1')
    .split(/(?<=\n)/)
  const expected = checksumLine(bytes, snapshotName).toString()
  if (lines.includes(expected)) return 'same'
  const isList = lines.every((line) => /^[0-9a-f]{64} {2}pds\.sqlite\n$/.test(line))
  return isList && !lines.some((line) => differences(line, expected) === 1) ? 'other' : 'unknown'
}

function differences(one: string, other: string): number {
  return Array.from(other).filter((letter, at) => letter !== one[at]).length
}

function readMeta(sqlite: Sqlite): { seq: number; format: number } | undefined {
  try {
    const id = sqlite.get<{ application_id: number }>('PRAGMA application_id')?.application_id
    return id === applicationId ? sqlite.get('SELECT seq, format FROM store_meta') : undefined
  } catch {
    return undefined
  }
}
