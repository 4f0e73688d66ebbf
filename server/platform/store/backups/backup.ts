/**
 * Backups: compressed SQLite files in `backups/`, each with the checksums of it and its blobs beside it, and their blobs, which
 * they share; and one-file backups, anywhere.
 */
import { createHash, type Hash } from 'node:crypto'
import { basename, join } from 'node:path'
import { type Duplex, pipeline } from 'node:stream'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { blobsIn, exists, isIntact, matchesCid } from '../blob-files.ts'
import { StoreDamaged, StoreUnavailable } from '../errors.ts'
import { type Files, hashed, isMissing, nodeFiles, replaceByChunks, replaceFile, sha256Of } from '../files.ts'
import { type Loaded, load } from '../journal/recover.ts'
import { backupsName, blobPath, blobsName, checkpointName, databaseName, journalSeqs } from '../layout.ts'
import { closeFile, openDatabase, schemaVersion, setSeq } from '../pages/database-file.ts'
import type { Sqlite } from '../sqlite.ts'
import { blobChecksums, blobCids, keepBlobs, removeUnusedBlobs } from './backup-blobs.ts'
import { tryLock, whileLocked } from './backup-lock.ts'
import { type BackupProof, proofFile, readProof, writeProof } from './backup-proof.ts'
import { type BlobContent, decodePortable, encodePortable, type PortableOptions } from './portable.ts'
import { checksumLine, readHead } from './read-backup.ts'
import {
  type BackupKind,
  backupName,
  expiredBackups,
  parseBackupName,
  removableBackups,
} from './retention.ts'
import { hasSpace } from './space.ts'

export type { BackupKind } from './retention.ts'

export interface BackupInfo {
  readonly file: string
  readonly kind: BackupKind
  readonly createdAt: Date
  readonly bytes: number
  /** The result of the last check; undefined without one. */
  readonly proof: BackupProof | undefined
}

/** A database, and the CIDs of its blobs. */
export interface Content {
  /** Size of the database. */
  readonly bytes: number
  /** Yields the database once more with each call. It must not change meanwhile. */
  readonly chunks: () => Iterable<Uint8Array>
  readonly blobs: readonly string[]
  /** Damaged pages of the database, which have zeros instead. */
  readonly leftOut?: ReadonlySet<number>
}

const dayMs = 24 * 60 * 60_000
/** Blobs that are deleted while the data is read make it necessary to read it again. */
const readAttempts = 3
/** Reads that fail in a row, with the same journals before and after, are damage. */
const damagedReads = 3
/** Pages that are named in a sentence. */
const maxNamed = 20

/**
 * Backs up a data directory as it is on disk, also while another process serves it. Leaves damaged pages out: the backup is then of the
 * kind `incomplete`, with the pages in its proof. Removes backups that `retention.ts` no longer keeps.
 */
export async function backup(
  dir: string,
  at: Date,
  kind: BackupKind = 'manual',
  files: Files = nodeFiles,
): Promise<BackupInfo> {
  const path = join(dir, databaseName)
  if (!(await exists(files, path))) throw new StoreDamaged(path, 'is missing')
  let attempt = 0
  const write = (content: Content) => {
    attempt++
    return writeBackup(files, dir, content, at, kind, attempt < readAttempts)
  }
  return whileLocked(files, dir, () => withContent(files, dir, write, readableContent))
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
  const lock = await tryLock(files, dir)
  const write = async ({ bytes, chunks, blobs }: Content) => {
    const hash = createHash('sha256')
    const database = { bytes, chunks: hashed(chunks(), hash) }
    const media = intactBlobs(files, join(dir, blobsName), blobs)
    const content = await encodePortable(database, media, options)
    await replaceByChunks(files, file, content, async (written) => {
      const source = { head: await readHead(files, written), chunks: files.chunks(written) }
      await decodePortable(file, source, options.passphrase, matchesCid, (database) =>
        assertSame(file, hash, database),
      )
    })
  }
  await withContent(files, dir, write).finally(() => lock?.release())
  return files.size(file)
}

/** Throws StoreDamaged if content that was read back is not what was written. */
async function assertSame(file: string, written: Hash, read: AsyncIterable<Uint8Array>): Promise<void> {
  if (written.digest('hex') !== (await sha256Of(read))) {
    throw new StoreDamaged(file, 'was damaged when it was written')
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

/** Blobs of the content were deleted while it was read: newer content is needed. */
class Outdated extends Error {}

/**
 * Calls `use` with the data as they are on disk. Calls it again if the server has put other pages in place meanwhile, or if it throws
 * Outdated.
 * @param ofDamaged returns the content if pages are damaged; without it they are an error
 */
async function withContent<T>(
  files: Files,
  dir: string,
  use: (content: Content) => Promise<T>,
  ofDamaged?: typeof readableContent,
): Promise<T> {
  for (let failures = 0, repairs = 0; ; ) {
    const before = await journalsOf(files, dir)
    let loaded: Loaded | undefined
    try {
      loaded = await load(files, dir)
      // A checkpoint may be writing the checksums.
      if (loaded.checkedBy === 'repaired' && ++repairs < damagedReads) continue
      const isDamaged = failures === damagedReads && ofDamaged
      return await use(isDamaged ? await ofDamaged(files, dir, loaded) : contentOf(loaded))
    } catch (error) {
      if (error instanceof Outdated) continue
      if (!(error instanceof StoreDamaged || isMissing(error))) throw error
      // A checkpoint may have begun and ended meanwhile: before it and after it, the directory has the same two journals.
      failures = (await journalsOf(files, dir)) === before ? failures + 1 : 0
      if (failures > damagedReads || (failures === damagedReads && !ofDamaged)) throw error
    } finally {
      if (loaded) await closeFile(loaded)
    }
  }
}

/** Changes with each checkpoint. */
async function journalsOf(files: Files, dir: string): Promise<string> {
  const names = await files.list(dir)
  return [...journalSeqs(names), names.includes(checkpointName)].join()
}

/** Returns a database, which does not change any more, as the content of a backup, up to transaction `seq`. */
function contentOf({ sqlite, seq }: { readonly sqlite: Sqlite; readonly seq: number }): Content {
  setSeq(sqlite, seq)
  return { blobs: blobCids(sqlite), bytes: sqlite.size, chunks: () => sqlite.chunks() }
}

/** As `contentOf`, without the damaged pages; with all blobs of the directory if it is unknown which ones belong to the database. */
async function readableContent(files: Files, dir: string, { sqlite, seq }: Loaded): Promise<Content> {
  setSeq(sqlite, seq)
  const leftOut = sqlite.damagedPages()
  const blobs: string[] = []
  try {
    blobs.push(...blobCids(sqlite))
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error
    for await (const cids of blobsIn(files, join(dir, blobsName))) blobs.push(...cids)
  }
  return { blobs, bytes: sqlite.size, chunks: () => sqlite.chunks(leftOut), leftOut }
}

/** Writes loaded data as a backup before an upgrade, while no other process makes one. Leaves damaged pages out, as `backup` does. */
export async function saveBackup(
  files: Files,
  dir: string,
  loaded: Loaded,
  createdAt: Date,
): Promise<BackupInfo> {
  const write = (content: Content) => writeBackup(files, dir, content, createdAt, 'upgrade')
  return whileLocked(files, dir, async () => {
    try {
      return await write(contentOf(loaded))
    } catch (error) {
      if (!(error instanceof StoreDamaged)) throw error
      return write(await readableContent(files, dir, loaded))
    }
  })
}

/** @param insist throws Outdated if blobs of the content are no longer there; they are left out otherwise */
async function writeBackup(
  files: Files,
  dir: string,
  { blobs, bytes, chunks, leftOut }: Content,
  createdAt: Date,
  wanted: BackupKind,
  insist = false,
): Promise<BackupInfo> {
  const kind = leftOut ? 'incomplete' : wanted
  const folder = join(dir, backupsName)
  const file = join(folder, backupName({ kind, createdAt }))
  await makeRoom(files, dir, bytes, kind, createdAt)
  const missing = await keepBlobs(files, dir, join(folder, blobsName), blobs)
  if (missing.size > 0 && insist) throw new Outdated()
  const kept = blobs.filter((cid) => !missing.has(cid))
  const sha256 = await writeDatabase(files, file, chunks())
  await replaceFile(files, checksumFile(file), checksumLine(sha256, basename(file)), blobChecksums(kept))
  const proof = leftOut && (await writeProof(files, file, { ...incomplete(leftOut), checkedAt: createdAt }))
  for (const expired of expiredBackups(await listNamed(dir, files), createdAt))
    await removeBackup(files, expired.file)
  await removeUnusedBlobs(files, folder)
  return { file, kind, createdAt, bytes: await files.size(file), proof }
}

/** The problem of a backup without these pages. */
function incomplete(pages: ReadonlySet<number>): Pick<BackupProof, 'problem' | 'missing'> {
  const numbers = [...pages].slice(0, maxNamed).join(', ') + (pages.size > maxNamed ? ', …' : '')
  return {
    problem: `It is incomplete: damaged pages of the database are left out (${numbers}).`,
    missing: undefined,
  }
}

/** A compressed copy of a database. */
export interface DatabaseCopy {
  /** Number of its last transaction. */
  readonly seq: number
  /** Version of its schema. */
  readonly schema: number
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string
}

/** Copies the pages of a data directory as of the last checkpoint to a compressed file. No checkpoint may run meanwhile. */
export async function copyDatabase(files: Files, dir: string, file: string): Promise<DatabaseCopy> {
  const opened = await openDatabase(files, dir)
  try {
    const sha256 = await writeDatabase(files, file, opened.sqlite.chunks())
    return { seq: opened.seq, schema: schemaVersion(opened.sqlite), sha256 }
  } finally {
    await closeFile(opened)
  }
}

/** Writes a compressed database, and reads it back before it gets its name. Returns the SHA-256 of the file. */
async function writeDatabase(files: Files, file: string, chunks: Iterable<Uint8Array>): Promise<string> {
  const [plain, packed] = [createHash('sha256'), createHash('sha256')]
  const compressed = through(hashed(chunks, plain), createZstdCompress())
  await replaceByChunks(files, file, hashed(compressed, packed), (written) =>
    assertSame(file, plain, through(files.chunks(written), createZstdDecompress())),
  )
  return packed.digest('hex')
}

/** Returns the output of a transformation; an error of its input ends it. */
function through(input: AsyncIterable<Uint8Array>, transform: Duplex): AsyncIterable<Uint8Array> {
  return pipeline(input, transform, () => {})
}

/** A database shrinks to less than this share of its size. */
const compressedShare = 0.6

/** Makes sure that the next backup fits on the disk. Removes old daily ones for a daily one, if that suffices. @throws StoreUnavailable */
async function makeRoom(files: Files, dir: string, bytes: number, kind: BackupKind, at: Date): Promise<void> {
  const folder = join(dir, backupsName)
  const needed = bytes * compressedShare
  if (await hasSpace(files, folder, needed)) return
  const old = kind === 'daily' ? removableBackups(await listNamed(dir, files), at) : []
  let freed = 0
  for (const { file } of old) freed += await files.size(file)
  if (await hasSpace(files, folder, needed, freed)) {
    for (const { file } of old) {
      await removeBackup(files, file)
      if (await hasSpace(files, folder, needed)) return
    }
  }
  throw new StoreUnavailable(
    'The disk has too little free space for a backup. Free disk space, then try again.',
  )
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

/** Whether a day has passed since the newest daily backup, which may be incomplete. */
export async function backupIsDue(dir: string, now: Date, files: Files = nodeFiles): Promise<boolean> {
  const newest = (await listBackups(dir, files)).find(
    // A backup from the future was made while the clock was wrong.
    ({ kind, createdAt }) => (kind === 'daily' || kind === 'incomplete') && createdAt <= now,
  )
  return newest === undefined || now.getTime() - newest.createdAt.getTime() >= dayMs
}

async function removeBackup(files: Files, file: string): Promise<void> {
  await files.remove(file)
  await files.remove(checksumFile(file))
  await files.remove(proofFile(file))
}

function checksumFile(file: string): string {
  return `${file}.sha256`
}
