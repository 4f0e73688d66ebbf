import { desktop } from '../../bridge.ts'
import { DataCheckSection } from '../../parts/backups/data-check.tsx'
import { ReplicasSection } from '../../parts/replicas/section.tsx'
import { t } from '../../strings/en.ts'
import { Page } from '../../ui/page.tsx'
import { OneFileSection } from './one-file-section.tsx'
import { ReplacedSection } from './replaced-section.tsx'
import { RepositorySection } from './repository-section.tsx'

/** The desktop has also what needs files of a person. */
export function BackupsScreen() {
  return (
    <Page lead={t.backups.lead} title={t.nav.backups}>
      <ReplicasSection />
      <DataCheckSection />
      <ReplacedSection />
      {desktop && (
        <>
          <OneFileSection />
          <RepositorySection />
        </>
      )}
    </Page>
  )
}
