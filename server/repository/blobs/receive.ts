/** Receives an upload: writes it to a temporary file while it is hashed. Only one chunk at a time is in memory. */
import { join } from 'node:path'
import { blobCid, newBlobHash } from '../../store/files/blob-files.ts'
import type { Files } from '../../store/files/files.ts'
import { temporarySuffix } from '../../store/files/layout.ts'
import { receiveFile } from '../../store/files/receive-file.ts'
import { temporaryName } from '../../util/random.ts'
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

/**
 * Writes a body to a temporary file in `folder`. An error leaves no file.
 * @throws StoreUnavailable when the disk fails, and errors of the body
 */
export async function receive(
  files: Files,
  folder: string,
  body: AsyncIterable<Uint8Array>,
): Promise<Received> {
  const path = join(folder, `${temporaryName()}${temporarySuffix}`)
  await files.makeDir(folder)
  const hash = newBlobHash()
  let head = Buffer.alloc(0)
  const size = await receiveFile(files, path, body, {
    isSynced: true,
    onChunk(chunk) {
      if (head.length < signatureBytes) head = Buffer.concat([head, chunk.subarray(0, signatureBytes)])
      hash.update(chunk)
    },
  })
  return { path, cid: blobCid(hash), size, detected: detectMediaType(head) }
}
