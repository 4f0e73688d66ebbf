/**
 * Bytes that several readers read at their own speed: in memory while they are few, else in a temporary file. Read from the tables, a
 * slow reader would keep its commit pinned, and writes, imports and deletions could not remove its blocks for as long.
 */
import { join } from 'node:path'
import { type Files, writeChunks } from '../../store/files/files.ts'
import { temporarySuffix } from '../../store/files/layout.ts'
import { isOfDisk } from '../../store/files/receive-file.ts'
import { StoreUnavailable } from '../../store/files/store-errors.ts'
import { temporaryName } from '../../util/random.ts'
import { createPace } from '../../util/turns.ts'

export interface Spool {
  chunks(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>
  /** Removes the file. */
  remove(): Promise<void>
}

/** Bytes that are kept in memory. */
const fewBytes = 1024 * 1024
const chunkBytes = 64 * 1024
/** Bytes that are read in less than a millisecond. */
const paceBytes = 4096

/**
 * Reads `parts` to the end, in pieces of a few milliseconds. An error leaves no file.
 * @param folder is created when a file is needed
 * @param assertRoom called before each write to it
 * @throws StoreUnavailable when the disk is full or fails, and errors of `parts` and `assertRoom`
 */
export async function spool(
  files: Files,
  folder: string,
  parts: Iterable<Uint8Array>,
  assertRoom: () => void = () => {},
): Promise<Spool> {
  const chunks = inChunks(parts)
  const { held, isAll } = await readSome(chunks)
  if (isAll) return { chunks: () => held, remove: async () => {} }
  const path = join(folder, `${temporaryName()}${temporarySuffix}`)
  const remove = () => files.remove(path)
  try {
    await files.makeDir(folder)
    await writeChunks(files, path, joined(held.splice(0), chunks, assertRoom), 'temporary')
  } catch (error) {
    await remove().catch(() => {})
    if (!isOfDisk(error)) throw error
    throw new StoreUnavailable('The repository could not be written to a temporary file. Try again.')
  }
  return { chunks: () => files.chunks(path), remove }
}

/** Reads `parts` into memory as `spool` does; returns undefined if they would need a file. */
export async function spoolFew(parts: Iterable<Uint8Array>): Promise<Spool | undefined> {
  const { held, isAll } = await readSome(inChunks(parts))
  return isAll ? { chunks: () => held, remove: async () => {} } : undefined
}

/** Returns the first chunks, as many as are kept in memory, and whether there are no others. */
async function readSome(chunks: AsyncGenerator<Uint8Array, undefined>) {
  const held: Uint8Array[] = []
  for (let bytes = 0; bytes <= fewBytes; ) {
    const { done, value } = await chunks.next()
    if (done) return { held, isAll: true }
    held.push(value)
    bytes += value.length
  }
  return { held, isAll: false }
}

async function* joined(
  first: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
  assertRoom: () => void,
): AsyncGenerator<Uint8Array> {
  yield* first
  for await (const chunk of rest) {
    assertRoom()
    yield chunk
  }
}

/** Joins small parts, and lets the event loop continue between them. */
async function* inChunks(parts: Iterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  const pace = createPace()
  let held: Uint8Array[] = []
  let bytes = 0
  let unpaced = 0
  for (const part of parts) {
    held.push(part)
    bytes += part.length
    unpaced += part.length
    if (unpaced >= paceBytes) {
      unpaced = 0
      await pace()
    }
    if (bytes < chunkBytes) continue
    yield Buffer.concat(held)
    held = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(held)
}
