/** Puts a fetched base and its segments together. */
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createZstdDecompress, zstdDecompress } from 'node:zlib'
import { blobCids } from '../../store/backups/backup-blobs.ts'
import { databaseHeadBytes, declaredBytes } from '../../store/backups/read-backup.ts'
import { type Files, writeChunks } from '../../store/files/files.ts'
import { StoreDamaged } from '../../store/files/store-errors.ts'
import { readJournals } from '../../store/journal/journal.ts'
import { applyFrames } from '../../store/journal/recover.ts'
import { putPages } from '../../store/pages/checkpoint.ts'
import { closeFile, type OpenedFile, openChecked, setSeq } from '../../store/pages/database-file.ts'
import type { Reader } from '../../store/pages/reader.ts'
import { isDamaged, PlaceProblem } from './places/place.ts'
import type { Chain } from './ways/ways.ts'

const decompress = promisify(zstdDecompress)

/** Changed pages that are in memory while segments are applied: 64 MiB. */
const pagesAtOnce = 16_384

/**
 * Puts what `fetchChain` has fetched together: writes a database, which can be restored like a backup. Returns its CIDs of media.
 * @param onOpened may look into the database
 * @throws StoreDamaged, PlaceProblem `damaged`
 */
export async function assemble(
  files: Files,
  folder: string,
  { seq }: Pick<Chain, 'seq'>,
  onOpened: (sqlite: Reader) => void = () => {},
): Promise<string[]> {
  const opened = await openBase(files, folder)
  const save = () => putPages(files, databasePath(folder), opened.overlay.takeChanges())
  try {
    let last = opened.seq
    for await (const applied of applySegments(files, folder, opened)) {
      last = applied
      if (opened.overlay.changes >= pagesAtOnce) await save()
    }
    if (last !== seq)
      throw new PlaceProblem('damaged', `The copy ends at transaction ${last} instead of ${seq}.`)
    setSeq(opened.sqlite, last)
    await save()
    onOpened(opened.sqlite)
    return blobCids(opened.sqlite)
  } finally {
    await closeFile(opened)
  }
}

/** Returns the CIDs of media, or the damage: an error would lose its class between threads. */
export async function tryAssemble(files: Files, job: Pick<Chain, 'seq'> & { readonly folder: string }) {
  try {
    return { cids: await assemble(files, job.folder, job) }
  } catch (error) {
    if (error instanceof StoreDamaged) return { damage: error.message, object: undefined }
    if (isDamaged(error)) return { damage: error.message, object: error.object }
    throw error
  }
}

/** Decompresses the base that `fetchChain` has fetched, and opens it. @throws StoreDamaged */
export async function openBase(files: Files, folder: string): Promise<OpenedFile> {
  const database = databasePath(folder)
  await writeChunks(files, database, decompressed(files, folder))
  return openChecked(files, database)
}

/** Returns the size of the database that is compressed in the fetched base, as its header has it; 0 for another format. */
export async function declaredSize(files: Files, folder: string): Promise<number> {
  let head = Buffer.alloc(0)
  try {
    for await (const chunk of decompressed(files, folder)) {
      head = Buffer.concat([head, chunk])
      if (head.length >= databaseHeadBytes) return declaredBytes(head)
    }
  } catch {
    // `openBase` names the damage.
  }
  return 0
}

/**
 * Applies the fetched segments to their base. Yields the number of the last transaction after each journal.
 * @throws PlaceProblem `damaged` with the local name of a segment, which is removed then
 */
export async function* applySegments(
  files: Files,
  folder: string,
  opened: Pick<OpenedFile, 'sqlite' | 'seq'>,
): AsyncGenerator<number> {
  let last = opened.seq
  for (const name of (await files.list(join(folder, 'segments'))).toSorted()) {
    const path = join(folder, 'segments', name)
    const content = await decompressSegment(files, path, name)
    for (const journal of readJournals(content)) {
      const applied = applyFrames(opened.sqlite, journal, last, { upTo: Number(name.split('-')[1]) })
      if (applied.error !== undefined) {
        await files.remove(path)
        throw new PlaceProblem(
          'damaged',
          `The changes after transaction ${applied.last} do not continue the database.`,
          {
            ...{ cause: applied.error, object: name },
          },
        )
      }
      last = applied.last
      yield last
    }
  }
}

/** It was whole when it was fetched: a damaged file is removed, so that it is fetched again. @throws PlaceProblem `damaged` */
async function decompressSegment(files: Files, path: string, object: string): Promise<Buffer> {
  const bytes = await files.read(path)
  try {
    return await decompress(bytes)
  } catch (cause) {
    await files.remove(path)
    throw new PlaceProblem('damaged', `The segment ${object} is damaged.`, { object, cause })
  }
}

/** The database that `assemble` writes; its media are in `blobs` beside it. */
export function databasePath(folder: string): string {
  return join(folder, 'copy.sqlite')
}

async function* decompressed(files: Files, folder: string): AsyncGenerator<Uint8Array> {
  const names = (await files.list(join(folder, 'parts'))).toSorted()
  const zstd = createZstdDecompress()
  const feeding = pipeline(async function* () {
    for (const name of names) yield* files.chunks(join(folder, 'parts', name))
  }, zstd)
  // The stream reports its errors to the reader, too, who may also stop early.
  feeding.catch(() => {})
  yield* zstd
  await feeding
}
