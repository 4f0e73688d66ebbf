/**
 * The database file: a normal SQLite file that any tool opens, with the number of its last transaction. In a data directory it has
 * checksums of its pages beside it; without them it was put there by a person or a restore, and must pass SQLite's integrity check.
 */

import { join } from 'node:path'
import { type Files, isMissing } from '../files/files.ts'
import { checkpointName, checksumsName, databaseName } from '../files/layout.ts'
import {
  StoreDamaged,
  StoreForTests,
  StoreTooNew,
  StoreTooOld,
  StoreUnavailable,
} from '../files/store-errors.ts'
import { readCheckpoint } from './checkpoint.ts'
import { pageBytes } from './page.ts'
import { PageChecksums, readChecksums } from './page-checksums.ts'
import { PageFile } from './page-file.ts'
import { PageOverlay } from './page-overlay.ts'
import type { Reader } from './reader.ts'
import { Sqlite } from './sqlite.ts'

/** "PDS1": the application id in the SQLite files of this program. */
const applicationId = 0x50445331
/** "PDST": that of databases for tests, whose keys are public. */
const testApplicationId = 0x50445354
/** 1: written before the first release. */
const formatVersion = 2
/** The first bytes of every SQLite file. */
const sqliteMagic = Buffer.from('SQLite format 3\0')
/** Offset of the size of its pages: 16 bits, big-endian. */
const pageSizeAt = 16

export interface OpenedFile {
  readonly sqlite: Sqlite
  readonly file: PageFile
  readonly overlay: PageOverlay
  /** Number of the last transaction in it. */
  readonly seq: number
}

export interface OpenedDatabase extends OpenedFile {
  /** How its pages were checked; `repaired`: by checksums of which a part was damaged. */
  readonly checkedBy: 'checksums' | 'repaired' | 'integrity check'
}

/** Creates an empty database with our application id. */
export async function createSqlite({ isForTests }: Pick<Files, 'isForTests'> = {}): Promise<Sqlite> {
  const sqlite = await Sqlite.open()
  sqlite.exec(
    `PRAGMA application_id = ${isForTests ? testApplicationId : applicationId};
     CREATE TABLE store_meta (seq INTEGER NOT NULL, format INTEGER NOT NULL) STRICT;
     INSERT INTO store_meta VALUES (0, ${formatVersion})`,
  )
  return sqlite
}

/** Writes the number of the last transaction into the database. */
export function setSeq(sqlite: Sqlite, seq: number): void {
  // A database that has this number stays the same, to the byte.
  sqlite.exec(`UPDATE store_meta SET seq = ${seq} WHERE seq <> ${seq}`)
}

/** Returns the number of the last transaction in a database. */
export function seqOf(sqlite: Reader): number | undefined {
  return sqlite.get<{ seq: number }>('SELECT seq FROM store_meta')?.seq
}

/** A larger database is verified in a worker. */
const quickBytes = 16 * 2 ** 20

/** Whether a database was put there by a person or a restore, and takes long to check. */
export async function isUnverified(files: Files, dir: string): Promise<boolean> {
  const names = await files.list(dir)
  const known = [checksumsName, checkpointName]
  if (!names.includes(databaseName) || known.some((name) => names.includes(name))) return false
  return (await files.size(join(dir, databaseName))) >= quickBytes
}

/** Checks a database that is unverified, and returns the checksums of its pages, encoded. @throws StoreDamaged, StoreTooNew */
export async function verifyDatabase(files: Files, dir: string): Promise<Uint8Array> {
  const opened = await openChecked(files, join(dir, databaseName))
  try {
    return PageChecksums.of(allPages(opened.file)).encode()
  } finally {
    await closeFile(opened)
  }
}

/**
 * Opens the database of a data directory, without its journals. Changes nothing on disk: pages of an unfinished checkpoint are read from
 * there. @param verified the result of `verifyDatabase` @throws StoreDamaged, StoreTooNew
 */
export async function openDatabase(
  files: Files,
  dir: string,
  verified?: Uint8Array,
): Promise<OpenedDatabase> {
  const path = join(dir, databaseName)
  const checksums = await readChecksums(files, dir)
  const file = await openPages(files, path)
  try {
    const frozen = await readCheckpoint(files, dir)
    // A file without checksums reads its pages unchecked.
    if (frozen) checksums?.finish(frozen, (number) => file.read(number))
    file.checksums = checksums
    file.frozen = frozen
    if (checksums) {
      if (file.count < checksums.lastPage) throw new StoreDamaged(path, 'is cut short')
      if (!checksums.hasUnknown) return { ...(await openPageFile(file, 'quick')), checkedBy: 'checksums' }
      const opened = await openPageFile(file, 'thorough')
      checksums.learn(allPages(file))
      return { ...opened, checkedBy: 'repaired' }
    }
    if (verified) {
      file.checksums = PageChecksums.decode(path, verified)
      return { ...(await openPageFile(file, 'quick')), checkedBy: 'integrity check' }
    }
    return { ...(await openPageFile(file, 'thorough')), checkedBy: 'integrity check' }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Opens an SQLite file that nothing changes meanwhile, with SQLite's integrity check. @throws StoreDamaged, StoreTooNew */
export async function openChecked(files: Files, path: string): Promise<OpenedFile> {
  const file = await openPages(files, path)
  try {
    return await openPageFile(file, 'thorough')
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Closes a database and its file. */
export async function closeFile({ sqlite, file }: Pick<OpenedFile, 'sqlite' | 'file'>): Promise<void> {
  sqlite.close()
  await file.close()
}

/**
 * Opens the pages of a file. Throws StoreDamaged when this program did not write them or, if `check` is thorough, when they fail SQLite's
 * integrity check; StoreTooNew or StoreTooOld when another version wrote them, StoreForTests.
 */
export async function openPageFile(file: PageFile, check: 'quick' | 'thorough'): Promise<OpenedFile> {
  const { path } = file
  const size = file.isShort ? undefined : pageSizeOf(file.read(1))
  if (!size) throw new StoreDamaged(path, 'is not a readable SQLite file')
  if (size !== pageBytes) throw new StoreDamaged(path, `has pages of ${size} bytes instead of ${pageBytes}`)
  const overlay = new PageOverlay(file)
  const sqlite = await Sqlite.open(overlay).catch((error: unknown) => {
    throw isOfStore(error) ? error : new StoreDamaged(path, 'is not a readable SQLite file')
  })
  try {
    const meta = readMeta(sqlite, file)
    if (meta === undefined) throw new StoreDamaged(path, 'is not a database of this program')
    if (meta.format > formatVersion) throw new StoreTooNew(path, meta.format, formatVersion)
    if (meta.format < formatVersion) throw new StoreTooOld(path)
    if (check === 'thorough' && !isSound(sqlite))
      throw new StoreDamaged(path, "fails SQLite's integrity check")
    return { sqlite, file, overlay, seq: meta.seq }
  } catch (error) {
    sqlite.close()
    throw error
  }
}

/** Returns the size of the pages of an SQLite file; undefined if it is none. */
function pageSizeOf(head: Uint8Array): number | undefined {
  return isSqlite(head) ? Buffer.from(head.subarray(pageSizeAt, pageSizeAt + 2)).readUInt16BE() : undefined
}

async function openPages(files: Files, path: string): Promise<PageFile> {
  try {
    return await PageFile.open(files, path)
  } catch (error) {
    throw isMissing(error) ? new StoreDamaged(path, 'is missing') : error
  }
}

/** Yields all pages of a file, each valid until the next one is asked for. @throws StoreDamaged */
export function* allPages(file: PageFile): Generator<[number: number, page: Uint8Array]> {
  for (let number = 1; number <= file.count; number++) yield [number, file.read(number)]
}

export function isSqlite(bytes: Uint8Array): boolean {
  return sqliteMagic.equals(bytes.subarray(0, sqliteMagic.length))
}

/** Whether the database passes SQLite's integrity check. */
export function isSound(sqlite: Sqlite): boolean {
  try {
    const problems = sqlite.all<{ integrity_check: string }>('PRAGMA integrity_check')
    return problems.length === 1 && problems[0]?.integrity_check === 'ok'
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    return false
  }
}

/** The version of the schema; 0: the database has none yet. */
export function schemaVersion(sqlite: Sqlite): number {
  return sqlite.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
}

function isOfStore(error: unknown): boolean {
  return [StoreDamaged, StoreUnavailable, StoreForTests].some((kind) => error instanceof kind)
}

function readMeta(
  sqlite: Sqlite,
  { path, isForTests }: PageFile,
): { seq: number; format: number } | undefined {
  try {
    const id = sqlite.get<{ application_id: number }>('PRAGMA application_id')?.application_id
    if (id === testApplicationId && !isForTests) throw new StoreForTests(path)
    return id === (isForTests ? testApplicationId : applicationId)
      ? sqlite.get('SELECT seq, format FROM store_meta')
      : undefined
  } catch (error) {
    if (isOfStore(error)) throw error
    return undefined
  }
}
