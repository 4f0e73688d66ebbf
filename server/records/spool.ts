/** Bytes that several readers read at their own speed: in memory while they are few, else in a temporary file. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { StoreUnavailable } from '../store/errors.ts'
import { type Files, writeChunks } from '../store/files.ts'
import { temporarySuffix } from '../store/layout.ts'
import { isOfDisk } from '../store/receive-file.ts'

export interface Spool {
  /** Whether it takes a file. */
  readonly isFile: boolean
  chunks(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>
  /** Removes the file. */
  remove(): Promise<void>
}

const memoryBytes = 1024 * 1024
const chunkBytes = 64 * 1024

/**
 * Reads `parts` to the end, a few at a time. An error leaves no file.
 * @param folder is created when a file is needed
 * @throws StoreUnavailable when the disk is full or fails, and errors of `parts`
 */
export async function spool(files: Files, folder: string, parts: Iterable<Uint8Array>): Promise<Spool> {
  const chunks = inChunks(parts)
  const held: Uint8Array[] = []
  for (let bytes = 0; bytes <= memoryBytes; ) {
    const { done, value } = await chunks.next()
    if (done) return { isFile: false, chunks: () => held, remove: async () => {} }
    held.push(value)
    bytes += value.length
  }
  const path = join(folder, `${randomBytes(12).toString('hex')}${temporarySuffix}`)
  const remove = () => files.remove(path)
  try {
    await files.makeDir(folder)
    await writeChunks(files, path, joined(held.splice(0), chunks), 'temporary')
  } catch (error) {
    await remove().catch(() => {})
    if (!isOfDisk(error)) throw error
    throw new StoreUnavailable('The repository could not be written to a temporary file. Try again.')
  }
  return { isFile: true, chunks: () => files.chunks(path), remove }
}

async function* joined(
  first: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* first
  yield* rest
}

/** Joins small parts, and lets the event loop continue after each chunk. */
async function* inChunks(parts: Iterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  let held: Uint8Array[] = []
  let bytes = 0
  for (const part of parts) {
    held.push(part)
    bytes += part.length
    if (bytes < chunkBytes) continue
    yield Buffer.concat(held)
    held = []
    bytes = 0
    await setImmediate()
  }
  if (bytes > 0) yield Buffer.concat(held)
}

/** Returns a stream of the bytes, and calls `onClose` when it has ended or was destroyed, also before it was read. */
export function streamOf({ chunks }: Spool, onClose: () => void): Readable {
  return Readable.from(chunks()).once('close', onClose)
}
