/** The records of a collection: pages, and deletion with undo. */
import { type BlobRef, enumBlobRefs, getBlobCidString, type LexValue } from '@atproto/lex-data'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { com } from '../../../lexicons/generated/index.ts'
import { parseAtUri } from '../../api/at-uri.ts'
import { explain } from '../../api/call-errors.ts'
import { type Body, callAs } from '../../api/client.ts'
import { downloadAs } from '../../api/download.ts'
import { usePages } from '../../api/hooks.ts'
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
  const { did } = useSession()
  const client = useQueryClient()
  // Counts, profile and posts may depend on the record.
  const onSettled = () => client.invalidateQueries({ queryKey: [did] })
  const restore = useMutation({
    mutationFn: async ({ record, files }: RemovedRecord) => {
      for (const file of files) await callAs(did, uploadBlob, { body: file })
      const { collection, rkey } = parseAtUri(record.uri)
      await callAs(did, createRecord, {
        body: { repo: did, collection, rkey, record: record.value, validate: false } as never,
      })
    },
    onSuccess: () => toast(t.data.restored),
    onError: (error) => toast(t.data.notRestored(explain(error))),
    onSettled,
  })
  return useMutation({
    mutationFn: async (record: StoredRecord) => {
      const files = await filesOf(did, record)
      const { collection, rkey } = parseAtUri(record.uri)
      await callAs(did, deleteRecord, {
        body: { repo: did, collection, rkey, swapRecord: record.cid } as never,
      })
      return { record, files }
    },
    onSuccess: (removed) => toast(t.data.removed, () => restore.mutate(removed)),
    onError: toastError,
    onSettled,
  })
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
