import { FileText } from 'lucide-react'
import { useParams } from 'wouter'
import { collectionName } from '../../parts/apps/collection-name.ts'
import { t } from '../../strings/en.ts'
import { BackLink } from '../../ui/links.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, Paged } from '../../ui/states.tsx'
import { RecordRow } from './record-row.tsx'
import { useRecordRemoval, useRecords } from './records.ts'

/** The records of one collection. */
export function CollectionScreen() {
  const { collection = '' } = useParams<{ collection: string }>()
  const list = useRecords(collection)
  const removal = useRecordRemoval()
  return (
    <Page
      before={<BackLink href="/data" name={t.nav.data} />}
      lead={<code>{collection}</code>}
      title={collectionName(collection)}
    >
      <Paged
        empty={<EmptyState icon={FileText} text={t.data.noneHereText} title={t.data.noneHere} />}
        label={t.data.list}
        list={list}
        rows={5}
      >
        {(record) => <RecordRow key={record.uri} record={record} removal={removal} />}
      </Paged>
    </Page>
  )
}
