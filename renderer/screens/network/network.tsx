import { useDesktopQuery } from '../../api/desktop.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { OwnerSections } from './owner-sections.tsx'
import { PagesSection, ServicesSection, SettingsSections } from './settings-sections.tsx'

/** Access to the server, and its requests to others. In the desktop it also works before sign-in, and while the server is stopped. */
export function NetworkScreen() {
  return (
    <Page lead={t.network.lead} title={t.nav.network}>
      {desktop && <DesktopSettings />}
      <OwnerSections />
      {desktop && <DesktopServices />}
    </Page>
  )
}

function DesktopSettings() {
  const query = useDesktopQuery('settings.view')
  return (
    <Loaded query={query} rows={4}>
      {(view) => <SettingsSections view={view} />}
    </Loaded>
  )
}

function DesktopServices() {
  const { data: view } = useDesktopQuery('settings.view')
  return (
    view && (
      <>
        <PagesSection view={view} />
        <ServicesSection view={view} />
      </>
    )
  )
}
