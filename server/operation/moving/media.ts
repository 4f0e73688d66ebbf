/** Copies the files of an account that the new server does not have yet. */

import { ResponseTooLarge } from '../../platform/network/client.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { blobCid, newBlobHash } from '../../store/files/blob-files.ts'
import { isObject, isString } from '../../util/json.ts'
import type { MissingFile, MissingReason } from '../tables/missing-media.ts'
import type { Side, Transfer } from './side.ts'

export interface MediaProgress {
  /** Called when the number of files is known. */
  counted(expected: number, present: number): Promise<void>
  copied(bytes: number): Promise<void>
}

interface Sides {
  readonly source: Side
  readonly target: Side
}

/** Files that are copied at once. */
const parallel = 4
const pageSize = '500'

/** Returns the files that one of the servers refuses. @throws other errors of the sides */
export async function copyMedia(sides: Sides, did: string, progress: MediaProgress): Promise<MissingFile[]> {
  const { target } = sides
  const missing: MissingFile[] = []
  const { expectedBlobs, importedBlobs } = await target.get('com.core.server.checkAccountStatus')
  await progress.counted(countOf(expectedBlobs), countOf(importedBlobs))
  for (let cursor = ''; ; ) {
    const query = { limit: pageSize, ...(cursor && { cursor }) }
    const page = await target.get('com.core.repo.listMissingBlobs', query)
    const files = Array.isArray(page.blobs) ? page.blobs.flatMap(fileOf) : []
    await inParallel(files, async ({ cid, record }) => {
      const reason = await copyBlob(sides, did, cid, progress)
      if (reason) missing.push({ cid, record, reason })
    })
    // A cursor that stays the same would loop forever.
    if (!isString(page.cursor) || page.cursor === cursor || files.length === 0) return missing
    cursor = page.cursor
  }
}

function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

function fileOf(entry: unknown): { cid: string; record: string | null }[] {
  if (!isObject(entry) || !isString(entry.cid)) return []
  return [{ cid: entry.cid, record: isString(entry.recordUri) ? entry.recordUri : null }]
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

/** Returns why a file could not be copied; undefined if it was. */
async function copyBlob(
  { source, target }: Sides,
  did: string,
  cid: string,
  progress: MediaProgress,
): Promise<MissingReason | undefined> {
  const file = await source.download('com.core.sync.getBlob', { did, cid }).catch(absenceOf)
  if (typeof file === 'string') return file
  let size = 0
  const body = verified(file.body, cid, (bytes) => {
    size += bytes
  })
  const refusal = await target
    .upload('com.core.repo.uploadBlob', { ...file, body })
    .then(() => undefined, refusalOf)
  if (!refusal) await progress.copied(size)
  return refusal
}

/** The old server sent bytes that do not have the CID. */
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

/** Returns why a server refuses to send or take one file. @throws all other errors */
function refusalOf(error: unknown): MissingReason {
  const all = causes(error)
  if (all.some((each) => each instanceof WrongBytes)) return 'wrongBytes'
  if (all.some((each) => each instanceof ResponseTooLarge)) return 'tooLarge'
  if (error instanceof XrpcError && error.status === 413) return 'tooLarge'
  throw error
}

/** Returns why the old server refuses a file. @throws errors that have other causes than the file */
function absenceOf(error: unknown): MissingReason {
  // Errors of a repository concern all of its files.
  if (!(error instanceof XrpcError) || error.name.startsWith('Repo')) return refusalOf(error)
  if (error.name === 'BlobTakedown') return 'takenDown'
  // Servers do not agree on the name of this error.
  return error.status === 404 || error.status === 400 ? 'notFound' : refusalOf(error)
}

/** An error and its causes: a request that fails because of its body has the error of the body as cause. */
function causes(error: unknown): unknown[] {
  return error instanceof Error && error.cause !== undefined ? [error, ...causes(error.cause)] : [error]
}
