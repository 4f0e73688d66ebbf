import { t } from '../../strings/en.ts'
import { Page } from '../../ui/page.tsx'
import { CollectionsSection } from './collections-section.tsx'
import { DownloadSection } from './download-section.tsx'
import { MediaSection } from './media-section.tsx'
import { MissingMediaSection } from './missing-media-section.tsx'

export function DataScreen() {
  return (
    <Page lead={t.data.lead} title={t.data.title}>
      <CollectionsSection />
      <MediaSection />
      <MissingMediaSection />
      <DownloadSection />
    </Page>
  )
}
