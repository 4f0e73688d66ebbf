import { com } from '../../../lexicons/generated/index.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { AppPasswordsSection } from './app-passwords-section.tsx'
import { AllowedAppsSection, SessionsSection } from './sessions-section.tsx'

/** Everything that can use the account: what it may do, what it did, and how to end it. */
export function AppsScreen() {
  const list = useXrpcQuery(com.core.server.listSessions, {})
  const passwords = useXrpcQuery(com.core.server.listAppPasswords, {})
  return (
    <Page lead={t.apps.lead} title={t.nav.apps}>
      <AppPasswordsSection />
      {/* The list above has its height then: what is below it does not move. */}
      {!passwords.isPending && (
        <Loaded query={list}>
          {({ sessions }) => (
            <>
              <AllowedAppsSection sessions={sessions.filter(({ app }) => app !== undefined)} />
              <SessionsSection sessions={sessions.filter(({ app }) => app === undefined)} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  )
}
