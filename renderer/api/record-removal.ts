/** Deletes records so that they can be restored: under the same key, with the files that were deleted with them. */
import { type BlobRef, enumBlobRefs, getBlobCidString, type LexValue } from '@atproto/lex-data'
import { com } from '../../lexicons/generated/index.ts'
import { parseAtUri } from './at-uri.ts'
import { callAs } from './client.ts'
import { downloadAs } from './download.ts'

const { deleteRecord, createRecord, uploadBlob } = com.core.repo

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

/** Deletes a record. Fails with `InvalidSwap` if it is no longer the one given. */
export async function removeRecord(did: string, record: StoredRecord): Promise<RemovedRecord> {
  const files = await filesOf(did, record)
  const { collection, rkey } = parseAtUri(record.uri)
  const body = { repo: did, collection, rkey, swapRecord: record.cid } as never
  await callAs(did, deleteRecord, { body })
  return { record, files }
}

/** Downloads the files of a record. Missing ones are left out. */
async function filesOf(did: string, record: StoredRecord): Promise<readonly Blob[]> {
  const downloads: PromiseSettledResult<Blob>[] = await Promise.allSettled(
    blobsOf(record.value).map(async (blob) => {
      const content = await downloadAs(did, com.core.sync.getBlob, { did, cid: getBlobCidString(blob) })
      return new Blob([content], { type: blob.mimeType })
    }),
  )
  return downloads.filter((one) => one.status === 'fulfilled').map(({ value }) => value)
}

/** The files that a record refers to. */
function blobsOf(value: unknown): readonly BlobRef[] {
  return [...enumBlobRefs(value as LexValue, { strict: false })]
}
