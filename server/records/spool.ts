/** Bytes that several readers read at their own speed: in memory while they are few, else in a temporary file. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { type Files, type OpenFile, writeFully } from '../store/files.ts'
import { temporarySuffix } from '../store/layout.ts'

export interface Spool {
  /** Whether it takes a file. */
  readonly isFile: boolean
  chunks(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>
  /** Removes the file. */
  remove(): Promise<void>
}

const memoryBytes = 1024 * 1024
const chunkBytes = 64 * 1024

/** Reads `parts` to the end, a few at a time. An error leaves no file. @param folder is created when a file is needed */
export async function spool(files: Files, folder: string, parts: Iterable<Uint8Array>): Promise<Spool> {
  const path = join(folder, `${randomBytes(12).toString('hex')}${temporarySuffix}`)
  const remove = () => files.remove(path)
  let held: Uint8Array[] = []
  let heldBytes = 0
  let file: OpenFile | undefined
  let written = 0
  try {
    for await (const chunk of inChunks(parts)) {
      held.push(chunk)
      heldBytes += chunk.length
      if (!file && heldBytes <= memoryBytes) continue
      file ??= await createIn(files, folder, path)
      for (const part of held) {
        await writeFully(file, part, written)
        written += part.length
      }
      held = []
    }
  } catch (error) {
    await file?.close()
    await remove().catch(() => {})
    throw error
  }
  if (!file) return { isFile: false, chunks: () => held, remove: async () => {} }
  await file.close()
  return { isFile: true, chunks: () => files.chunks(path), remove }
}

async function createIn(files: Files, folder: string, path: string): Promise<OpenFile> {
  await files.makeDir(folder)
  return files.create(path)
}

/** Joins small parts, and lets the event loop continue after each chunk. */
async function* inChunks(parts: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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
