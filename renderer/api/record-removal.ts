/** Deletes records so that they can be restored: under the same key, with the files that were deleted with them. */
import { type BlobRef, enumBlobRefs, getBlobCidString, type LexValue } from '@atproto/lex-data'
import { com } from '../../lexicons/generated/index.ts'
import { parseAtUri } from './at-uri.ts'
import { errorName } from './call-errors.ts'
import { callAs } from './client.ts'
import { downloadAs } from './download.ts'

const { deleteRecord, createRecord, getRecord, uploadBlob } = com.core.repo

/** Errors that say that a file is not served, now or later. */
const missing = new Set(['BlobNotFound', 'BlobTakedown'])

export interface StoredRecord {
  readonly uri: string
  readonly cid: string
  readonly value: unknown
}

export interface RemovedRecord {
  readonly record: StoredRecord
  readonly files: readonly Blob[]
}

export async function restoreRecord(did: string, { record, files }: RemovedRecord): Promise<void> {
  for (const file of files) await callAs(did, uploadBlob, { body: file })
  const { collection, rkey } = parseAtUri(record.uri)
  const body = { repo: did, collection, rkey, record: record.value, validate: false } as never
  await callAs(did, createRecord, { body })
}

/** Deletes a record, if it is still there. Fails with `InvalidSwap` if it has other content than the one given. */
export async function removeRecord(did: string, record: StoredRecord): Promise<RemovedRecord> {
  const files = await filesOf(did, record)
  const { collection, rkey } = parseAtUri(record.uri)
  const body = { repo: did, collection, rkey, swapRecord: record.cid } as never
  try {
    await callAs(did, deleteRecord, { body })
  } catch (error) {
    const isChanged = errorName(error) !== 'InvalidSwap' || (await findRecord(did, collection, rkey))
    if (isChanged) throw error
  }
  return { record, files }
}

/** Returns a record of the account; undefined if there is none. */
export async function findRecord(did: string, collection: string, rkey: string, signal?: AbortSignal) {
  const params = { repo: did, collection, rkey } as never
  try {
    return await callAs(did, getRecord, { params, ...(signal && { signal }) })
  } catch (error) {
    if (errorName(error) === 'RecordNotFound') return undefined
    throw error
  }
}

/** Downloads the files of a record. Fails if one that is there cannot be read now: Undo needs all of them. */
async function filesOf(did: string, record: StoredRecord): Promise<readonly Blob[]> {
  const files = await Promise.all(blobsOf(record.value).map((blob) => fileOf(did, blob)))
  return files.filter((file) => file !== undefined)
}

/** Undefined if the server lacks the file. */
async function fileOf(did: string, blob: BlobRef): Promise<Blob | undefined> {
  try {
    const content = await downloadAs(did, com.core.sync.getBlob, { did, cid: getBlobCidString(blob) })
    return new Blob([content], { type: blob.mimeType })
  } catch (error) {
    if (missing.has(errorName(error) ?? '')) return undefined
    throw error
  }
}

/** The files that a record refers to. */
export function blobsOf(value: unknown): readonly BlobRef[] {
  return [...enumBlobRefs(value as LexValue, { strict: false })]
}
