/** The records of a collection: pages, and deletion with undo. */
import { com } from '../../../lexicons/generated/index.ts'
import { explain } from '../../api/call-errors.ts'
import { usePages, useWork } from '../../api/hooks.ts'
import { removeRecord, restoreRecord } from '../../api/record-removal.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { toast, toastError } from '../../ui/toast.tsx'

const { listRecords } = com.core.repo

const pageSize = 50

export function useRecords(collection: string) {
  const { did } = useSession()
  const params = { repo: did, collection: collection as `${string}.${string}.${string}`, limit: pageSize }
  return usePages(listRecords, params, (page) => page.records)
}

/** Deletes a record. Undo restores it. */
export function useRecordRemoval() {
  // Counts, profile and posts may depend on the record.
  const restore = useWork(restoreRecord, 'all', {
    onSuccess: () => toast(t.data.restored),
    // The page has the only copy.
    onError: (error, removed) => toast(t.data.notRestored(explain(error)), () => restore.mutate(removed)),
  })
  return useWork(removeRecord, 'all', {
    onSuccess: (removed) => toast(t.data.removed, () => restore.mutate(removed)),
    onError: toastError,
  })
}
