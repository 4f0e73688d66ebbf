/** Receives an upload: writes it to a temporary file while it is hashed. Only one chunk at a time is in memory. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { blobCid, newBlobHash } from '../store/blob-files.ts'
import { StoreUnavailable } from '../store/errors.ts'
import { type Files, type OpenFile, writeFully } from '../store/files.ts'
import { temporarySuffix } from '../store/layout.ts'
import { detectMediaType, signatureBytes } from './media-type.ts'

export interface Received {
  /** The temporary file. Its content is on disk. */
  readonly path: string
  readonly cid: string
  /** In bytes. */
  readonly size: number
  /** The type that the bytes show, if any. */
  readonly detected: string | undefined
}

/** Error codes of disks that are full or fail. */
const diskCodes = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO']

/**
 * Writes a body to a temporary file in `folder`. An error leaves no file.
 * @throws StoreUnavailable when the disk fails, and errors of the body
 */
export async function receive(
  files: Files,
  folder: string,
  body: AsyncIterable<Uint8Array>,
): Promise<Received> {
  const path = join(folder, `${randomBytes(12).toString('hex')}${temporarySuffix}`)
  try {
    await files.makeDir(folder)
    const file = await files.create(path)
    try {
      return { path, ...(await write(file, body)) }
    } finally {
      await file.close()
    }
  } catch (error) {
    await files.remove(path).catch(() => {})
    throw isOfDisk(error)
      ? new StoreUnavailable('The upload could not be written to disk. Try again.')
      : error
  }
}

async function write(file: OpenFile, body: AsyncIterable<Uint8Array>): Promise<Omit<Received, 'path'>> {
  const hash = newBlobHash()
  let head = Buffer.alloc(0)
  let size = 0
  for await (const chunk of body) {
    if (head.length < signatureBytes) head = Buffer.concat([head, chunk.subarray(0, signatureBytes)])
    hash.update(chunk)
    await writeFully(file, chunk, size)
    size += chunk.length
  }
  await file.sync()
  return { cid: blobCid(hash), size, detected: detectMediaType(head) }
}

function isOfDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error && diskCodes.includes(String(error.code))
}
