/** Copies the files of an account that the new server does not have yet. */

import { isObject, isString } from '../identity/json.ts'
import { ResponseTooLarge } from '../network/guarded-fetch.ts'
import { blobCid, newBlobHash } from '../store/blob-files.ts'
import { XrpcError } from '../xrpc/errors.ts'
import type { Side, Transfer } from './side.ts'

export interface MediaProgress {
  /** Called when the number of files is known. */
  counted(expected: number, present: number): Promise<void>
  copied(bytes: number): Promise<void>
  /** Called for a file that the old server does not have, or the new one does not accept. */
  missing(): Promise<void>
}

interface Sides {
  readonly source: Side
  readonly target: Side
}

/** Files that are copied at once. */
const parallel = 4
const pageSize = '500'

/** @throws errors of the sides, but for files that one of them refuses */
export async function copyMedia(sides: Sides, did: string, progress: MediaProgress): Promise<void> {
  const { target } = sides
  const { expectedBlobs, importedBlobs } = await target.get('com.core.server.checkAccountStatus')
  await progress.counted(countOf(expectedBlobs), countOf(importedBlobs))
  for (let cursor = ''; ; ) {
    const query = { limit: pageSize, ...(cursor && { cursor }) }
    const page = await target.get('com.core.repo.listMissingBlobs', query)
    const cids = Array.isArray(page.blobs) ? page.blobs.map(cidOf).filter(isString) : []
    await inParallel(cids, (cid) => copyBlob(sides, did, cid, progress))
    // A cursor that does not move on would never end.
    if (!isString(page.cursor) || page.cursor === cursor || cids.length === 0) return
    cursor = page.cursor
  }
}

function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

function cidOf(entry: unknown): unknown {
  return isObject(entry) ? entry.cid : undefined
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const workers = Array.from({ length: parallel }, async () => {
    for (const item of rest) await work(item)
  })
  const results = await Promise.allSettled(workers)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

async function copyBlob(
  { source, target }: Sides,
  did: string,
  cid: string,
  progress: MediaProgress,
): Promise<void> {
  const file = await source
    .download('com.core.sync.getBlob', { did, cid })
    .catch(unlessRefused(400, 404, ResponseTooLarge))
  if (!file) return progress.missing()
  let size = 0
  const body = verified(file.body, cid, (bytes) => {
    size += bytes
  })
  const stored = await target
    .upload('com.core.repo.uploadBlob', { ...file, body })
    .then(() => true)
    .catch(unlessRefused(413, WrongBytes, ResponseTooLarge))
  await (stored ? progress.copied(size) : progress.missing())
}

/** The old server sent other bytes than those that the CID names. */
class WrongBytes extends Error {
  override name = 'WrongBytes'
}

/** Yields the body, and throws at its end if it does not have the CID: then the receiver drops it. */
async function* verified(
  body: Transfer['body'],
  cid: string,
  onBytes: (bytes: number) => void,
): AsyncIterable<Uint8Array> {
  const hash = newBlobHash()
  for await (const chunk of body) {
    hash.update(chunk)
    onBytes(chunk.length)
    yield chunk
  }
  if (blobCid(hash) !== cid) throw new WrongBytes(`The old server sent other bytes for ${cid}`)
}

/** Maps refusals to undefined: responses with a status, or errors of a class. */
function unlessRefused(...expected: (number | typeof WrongBytes | typeof ResponseTooLarge)[]) {
  return (error: unknown): undefined => {
    const isExpected = expected.some((each) =>
      typeof each === 'number'
        ? error instanceof XrpcError && error.status === each
        : causes(error).some((cause) => cause instanceof each),
    )
    if (!isExpected) throw error
  }
}

/** An error and its causes: a request that fails because of its body has the error of the body as cause. */
function causes(error: unknown): unknown[] {
  return error instanceof Error && error.cause !== undefined ? [error, ...causes(error.cause)] : [error]
}
