/** Receives a file from a client, one chunk at a time. */

import { type Files, writeFully } from './files.ts'
import { StoreUnavailable } from './store-errors.ts'

/** Error codes of disks that are full or fail. */
const diskCodes = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO']

export interface ReceiveOptions {
  /** Called with each chunk before it is written. */
  readonly onChunk?: (chunk: Uint8Array) => void
  /** Whether the content must be on disk at the end. */
  readonly isSynced?: boolean
}

/**
 * Writes a body to a new file, and returns its size in bytes. An error leaves no file.
 * @throws StoreUnavailable when the disk fails, and errors of the body
 */
export async function receiveFile(
  files: Files,
  path: string,
  body: AsyncIterable<Uint8Array>,
  { onChunk, isSynced = false }: ReceiveOptions = {},
): Promise<number> {
  try {
    const file = await files.create(path)
    try {
      let size = 0
      for await (const chunk of body) {
        onChunk?.(chunk)
        await writeFully(file, chunk, size)
        size += chunk.length
      }
      if (isSynced) await file.sync()
      return size
    } finally {
      await file.close()
    }
  } catch (error) {
    await files.remove(path).catch(() => {})
    throw withDiskErrors(error)
  }
}

/** Returns StoreUnavailable for an error of a disk that is full or fails, and other errors as they are. */
export function withDiskErrors(error: unknown): unknown {
  return isOfDisk(error) ? new StoreUnavailable('The upload could not be written to disk. Try again.') : error
}

/** Whether a file operation failed because the disk is full or fails. */
export function isOfDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error && diskCodes.includes(String(error.code))
}
