import { useDesktopQuery } from '../../api/desktop.ts'
import { t } from '../../strings/en.ts'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { AdvancedSection } from './advanced-section.tsx'
import { DataSection } from './data-section.tsx'
import { MailSection } from './mail-section.tsx'
import { PortSection } from './port-section.tsx'
import { SignUpSection } from './sign-up-section.tsx'
import { StatePanel } from './state-panel.tsx'

/** Settings of the embedded server. Text fields are saved per section, switches immediately. */
export function ServerScreen() {
  const query = useDesktopQuery('settings.view')
  return (
    <Page lead={t.server.lead} title={t.server.title}>
      <StatePanel />
      <Loaded query={query} rows={6}>
        {(view) => (
          <>
            <PortSection view={view} />
            <SignUpSection view={view} />
            <MailSection view={view} />
            <DataSection view={view} />
            <AdvancedSection view={view} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
