import { useDesktopCall, useDesktopQuery } from '../../api/desktop.ts'
import { BackupList } from '../../parts/backup-list.tsx'
import { CopiesSection } from '../../parts/copies/section.tsx'
import { DataCheckSection } from '../../parts/data-check.tsx'
import { SettingSwitch } from '../../parts/setting-switch.tsx'
import { t } from '../../strings/en.ts'
import { formatBytes } from '../../strings/format.ts'
import { Button } from '../../ui/button.tsx'
import { Page, Panel, Section } from '../../ui/page.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { OneFileSection } from './one-file-section.tsx'
import { ReplacedSection } from './replaced-section.tsx'
import { RepositorySection } from './repository-section.tsx'

export function BackupsScreen() {
  const { data: view } = useDesktopQuery('settings.view')
  const make = useDesktopCall('backups.make', ['backups.list'], {
    onSuccess: ({ bytes }) => toast(t.backups.created(formatBytes(bytes))),
    onError: toastError,
  })
  return (
    <Page
      action={
        <>
          <Button busy={make.isPending} variant="primary" onClick={() => make.mutate([])}>
            {t.backups.create}
          </Button>
          <span className="visually-hidden" role="status">
            {make.isPending ? t.backups.creating : ''}
          </span>
        </>
      }
      lead={t.backups.lead}
      title={t.backups.title}
    >
      <CopiesSection />
      {view && (
        <Panel>
          <SettingSwitch name="automaticBackups" view={view} />
        </Panel>
      )}
      <Section lead={t.backups.checkDetail} title={t.backups.saved}>
        <BackupList />
      </Section>
      <DataCheckSection />
      <ReplacedSection />
      <OneFileSection />
      <RepositorySection />
    </Page>
  )
}
