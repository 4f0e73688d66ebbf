/** The records of a collection: pages, and deletion with undo. */
import { type BlobRef, enumBlobRefs, getBlobCidString, type LexValue } from '@atproto/lex-data'
import { com } from '../../../lexicons/generated/index.ts'
import { parseAtUri } from '../../api/at-uri.ts'
import { explain } from '../../api/call-errors.ts'
import { type Body, callAs } from '../../api/client.ts'
import { downloadAs } from '../../api/download.ts'
import { usePages, useWork } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { toast, toastError } from '../../ui/toast.tsx'

const { listRecords, deleteRecord, createRecord, uploadBlob } = com.core.repo

export type StoredRecord = Body<typeof listRecords.main>['records'][number]

const pageSize = 50

export function useRecords(collection: string) {
  const { did } = useSession()
  const params = { repo: did, collection: collection as `${string}.${string}.${string}`, limit: pageSize }
  return usePages(listRecords, params, (page) => page.records)
}

/** Deletes a record. Undo creates it again under the same key, with the files that were deleted with it. */
export function useRecordRemoval() {
  // Counts, profile and posts may depend on the record.
  const restore = useWork(restoreRecord, 'all', {
    onSuccess: () => toast(t.data.restored),
    onError: (error) => toast(t.data.notRestored(explain(error))),
  })
  return useWork(removeRecord, 'all', {
    onSuccess: (removed) => toast(t.data.removed, () => restore.mutate(removed)),
    onError: toastError,
  })
}

async function restoreRecord(did: string, { record, files }: RemovedRecord): Promise<void> {
  for (const file of files) await callAs(did, uploadBlob, { body: file })
  const { collection, rkey } = parseAtUri(record.uri)
  const body = { repo: did, collection, rkey, record: record.value, validate: false } as never
  await callAs(did, createRecord, { body })
}

async function removeRecord(did: string, record: StoredRecord): Promise<RemovedRecord> {
  const files = await filesOf(did, record)
  const { collection, rkey } = parseAtUri(record.uri)
  const body = { repo: did, collection, rkey, swapRecord: record.cid } as never
  await callAs(did, deleteRecord, { body })
  return { record, files }
}

interface RemovedRecord {
  readonly record: StoredRecord
  readonly files: readonly Blob[]
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
