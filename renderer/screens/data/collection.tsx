import { FileText } from 'lucide-react'
import { useState } from 'react'
import { useParams } from 'wouter'
import { collectionName } from '../../parts/collection-name.ts'
import { t } from '../../strings/en.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Page, RowList } from '../../ui/page.tsx'
import { EmptyState, ErrorState, More, Skeleton } from '../../ui/states.tsx'
import { RecordDialog } from './record-dialog.tsx'
import { RecordRow } from './record-row.tsx'
import { type StoredRecord, useRecordRemoval, useRecords } from './records.ts'

/** The records of one collection. */
export function CollectionScreen() {
  const { collection = '' } = useParams<{ collection: string }>()
  const list = useRecords(collection)
  const removal = useRecordRemoval()
  const [viewed, setViewed] = useState<StoredRecord>()
  const records = list.data?.pages.flatMap((page) => page.records) ?? []
  return (
    <Page
      before={<BackLink href="/data" name={t.data.back} />}
      lead={<code>{collection}</code>}
      title={collectionName(collection)}
    >
      {list.isPending && <Skeleton rows={5} />}
      {list.isLoadingError && <ErrorState error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && records.length === 0 && (
        <EmptyState icon={<FileText aria-hidden size={28} />} title={t.data.noneHere}>
          {t.data.noneHereText}
        </EmptyState>
      )}
      {records.length > 0 && (
        <RowList label={t.data.list}>
          {records.map((record) => (
            <RecordRow key={record.uri} onView={() => setViewed(record)} record={record} removal={removal} />
          ))}
        </RowList>
      )}
      <More list={list} />
      {viewed && <RecordDialog onClose={() => setViewed(undefined)} record={viewed} />}
    </Page>
  )
}
