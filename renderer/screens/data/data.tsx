import { useMutation } from '@tanstack/react-query'
import { FileArchive, FileText } from 'lucide-react'
import { com } from '../../../lexicons/generated/index.ts'
import { downloadAs, saveFile } from '../../api/download.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Page, Panel, Row, Section } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { useArchive } from './archive.ts'
import { CollectionsSection } from './collections-section.tsx'
import { MediaSection } from './media-section.tsx'
import { MissingMediaSection } from './missing-media-section.tsx'
import { StorageSection } from './storage-section.tsx'

export function DataScreen() {
  return (
    <Page lead={t.data.lead} title={t.nav.data}>
      <StorageSection />
      <CollectionsSection />
      <MediaSection />
      <MissingMediaSection />
      <DownloadSection />
    </Page>
  )
}

/** Downloads of the records, alone or with all media. */
function DownloadSection() {
  return (
    <Section lead={t.data.downloadLead} title={t.data.download}>
      <Panel>
        <RepositoryRow />
        <ArchiveRow />
      </Panel>
    </Section>
  )
}

function RepositoryRow() {
  const { did, handle } = useSession()
  const save = useMutation({
    mutationFn: () => downloadAs(did, com.core.sync.getRepo, { did }),
    onSuccess: (content) => {
      saveFile(content, `${handle}.car`)
      toast(t.data.saved)
    },
    onError: toastError,
  })
  return (
    <Row
      action={
        <Button aria-label={t.data.repositoryLabel} busy={save.isPending} onClick={() => save.mutate()}>
          {t.data.download}
        </Button>
      }
      detail={t.data.repositoryDetail}
      icon={<FileText aria-hidden size={20} strokeWidth={1.75} />}
      title={t.data.repository}
    />
  )
}

function ArchiveRow() {
  const { archive, progress, cancel } = useArchive()
  return (
    <Row
      action={
        <>
          {archive.isPending && <Button onClick={cancel}>{t.ui.cancel}</Button>}
          <Button aria-label={t.data.archiveLabel} busy={archive.isPending} onClick={() => archive.mutate()}>
            {t.data.download}
          </Button>
        </>
      }
      detail={
        <>
          <span role="status">
            {progress ? t.data.archiveProgress(progress.done, progress.total) : t.data.archiveDetail}
          </span>
          <FormError error={archive.error} />
        </>
      }
      icon={<FileArchive aria-hidden size={20} strokeWidth={1.75} />}
      title={t.data.archive}
    />
  )
}
