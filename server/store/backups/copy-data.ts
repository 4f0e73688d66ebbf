/** Copies the data of a directory as they are on disk, also while another process serves them: to a compressed database, or one file. */
import { createHash, type Hash } from 'node:crypto'
import { join } from 'node:path'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { tryLock } from '../files/backup-lock.ts'
import { blobsIn, exists, isIntact, matchesCid } from '../files/blob-files.ts'
import {
  type Files,
  hashed,
  isMissing,
  nodeFiles,
  readHead,
  replaceByChunks,
  sha256Of,
  through,
} from '../files/files.ts'
import { blobPath, blobsName, checkpointName, databaseName, journalSeqs } from '../files/layout.ts'
import { StoreDamaged } from '../files/store-errors.ts'
import { type Loaded, load } from '../journal/recover.ts'
import { closeFile, schemaVersion, setSeq } from '../pages/database-file.ts'
import { blobCids } from './backup-blobs.ts'
import { decodePortable, encodePortable, type PortableOptions } from './portable.ts'
import type { TarFile } from './tar.ts'

/** A compressed copy of a database. */
export interface DatabaseCopy {
  /** Number of its last transaction. */
  readonly seq: number
  /** Version of its schema. */
  readonly schema: number
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string
  /** Size of the database when it is decompressed. */
  readonly bytes: number
  /** CIDs of its blobs; of all blobs in the directory if the database cannot say which are its own. */
  readonly blobs: readonly string[]
  /** Numbers of its damaged pages, which have zeros instead. */
  readonly leftOut: readonly number[]
}

export interface CopyOptions {
  /** The last transaction that is on disk: later ones may be undone. If undefined, the journals are read to their end. */
  readonly upTo?: number | undefined
  /** Leaves damaged pages out instead of failing. */
  readonly mayBePartial?: boolean | undefined
}

/** A checksum of the content, so that a file that was carried elsewhere can be checked. */
const zstdParams = { [constants.ZSTD_c_checksumFlag]: 1 }

/** Reads that fail in a row, with the same journals before and after, are damage. */
const damagedReads = 3

/** Copies the database of a data directory to a compressed file, and reads it back before it gets its name. @throws StoreDamaged */
export async function copyDatabase(
  files: Files,
  dir: string,
  file: string,
  options: CopyOptions = {},
): Promise<DatabaseCopy> {
  return withData(files, dir, options, async (loaded, isDamaged) => {
    const { sqlite } = loaded
    const leftOut = isDamaged ? sqlite.damagedPages() : undefined
    const blobs = await blobsOf(files, dir, loaded, isDamaged)
    const sha256 = await writeCompressed(files, file, sqlite.chunks(leftOut))
    const schema = isDamaged ? 0 : schemaVersion(sqlite)
    return { seq: loaded.seq, schema, sha256, bytes: sqlite.size, blobs, leftOut: [...(leftOut ?? [])] }
  })
}

async function blobsOf(files: Files, dir: string, { sqlite }: Loaded, isDamaged: boolean): Promise<string[]> {
  try {
    return blobCids(sqlite)
  } catch (error) {
    if (!isDamaged || !(error instanceof StoreDamaged)) throw error
  }
  const all: string[] = []
  for await (const cids of blobsIn(files, join(dir, blobsName))) all.push(...cids)
  return all
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
  try {
    await withData(files, dir, {}, async ({ sqlite }) => {
      const hash = createHash('sha256')
      const database = { name: databaseName, size: sqlite.size, content: hashed(sqlite.chunks(), hash) }
      const media = intactBlobs(files, join(dir, blobsName), blobCids(sqlite))
      const content = await encodePortable(database, media, options)
      await replaceByChunks(files, file, content, async (written) => {
        const source = { head: await readHead(files, written), chunks: files.chunks(written) }
        await decodePortable(file, source, options.passphrase, matchesCid, (read) =>
          assertSame(file, hash, read),
        )
      })
    })
  } finally {
    await lock?.release()
  }
  return files.size(file)
}

async function* intactBlobs(files: Files, folder: string, cids: readonly string[]): AsyncGenerator<TarFile> {
  for (const cid of cids) {
    const path = blobPath(folder, cid)
    const name = blobPath(blobsName, cid).replaceAll('\\', '/')
    if (await isIntact(files, path, cid))
      yield { name, size: await files.size(path), content: files.chunks(path) }
  }
}

/** Calls `use` with the data as they are on disk, again if the server has put other pages in place meanwhile. */
async function withData<T>(
  files: Files,
  dir: string,
  { upTo, mayBePartial = false }: CopyOptions,
  use: (loaded: Loaded, isDamaged: boolean) => Promise<T>,
): Promise<T> {
  const path = join(dir, databaseName)
  if (!(await exists(files, path))) throw new StoreDamaged(path, 'is missing')
  for (let failures = 0, repairs = 0; ; ) {
    const before = await journalsOf(files, dir)
    let loaded: Loaded | undefined
    try {
      loaded = await load(files, dir, { upTo })
      // A checkpoint may be writing the checksums.
      if (loaded.checkedBy === 'repaired' && ++repairs < damagedReads) continue
      setSeq(loaded.sqlite, loaded.seq)
      return await use(loaded, mayBePartial && failures === damagedReads)
    } catch (error) {
      if (!(error instanceof StoreDamaged || isMissing(error))) throw error
      // A checkpoint may have begun and ended meanwhile: before it and after it, the directory has the same two journals.
      failures = (await journalsOf(files, dir)) === before ? failures + 1 : 0
      if (failures > damagedReads || (failures === damagedReads && !mayBePartial)) throw error
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

/** Writes a compressed database, and reads it back before it gets its name. Returns the SHA-256 of the file. */
async function writeCompressed(files: Files, file: string, chunks: Iterable<Uint8Array>): Promise<string> {
  const [plain, packed] = [createHash('sha256'), createHash('sha256')]
  const compressed = through(hashed(chunks, plain), createZstdCompress({ params: zstdParams }))
  await replaceByChunks(files, file, hashed(compressed, packed), (written) =>
    assertSame(file, plain, through(files.chunks(written), createZstdDecompress())),
  )
  return packed.digest('hex')
}

/** Throws StoreDamaged if content that was read back differs from the written one. */
async function assertSame(file: string, written: Hash, read: AsyncIterable<Uint8Array>): Promise<void> {
  if (written.digest('hex') !== (await sha256Of(read))) {
    throw new StoreDamaged(file, 'was damaged when it was written')
  }
}
