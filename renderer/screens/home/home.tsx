import { Link } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { endpoint } from '../../api/endpoint.ts'
import { usePublicXrpcQuery } from '../../api/hooks.ts'
import { useUnreadCount } from '../../api/notifications.ts'
import { useOwnProfile } from '../../api/profile.ts'
import { useSession } from '../../api/sessions.ts'
import { AccountBadge } from '../../parts/account/account-badge.tsx'
import { Composer } from '../../parts/composer/composer.tsx'
import { t } from '../../strings/en.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { CopyBlock, CopyField } from '../../ui/copy.tsx'
import { FoldedSection, Page, Panel, Row, Section } from '../../ui/page.tsx'
import { ActivitySection } from './activity-section.tsx'
import { ConnectSection } from './connect-section.tsx'
import { HomeFeed } from './feed/home-feed.tsx'
import { StorageSection } from './storage-section.tsx'

export function HomeScreen() {
  const session = useSession()
  const unread = useUnreadCount()
  const { data: profile } = useOwnProfile(session.did)
  return (
    <Page lead={t.home.lead} title={t.nav.home}>
      <Composer />
      <ConnectSection />
      <Section title={t.home.account}>
        <Panel>
          <Row
            action={
              <>
                {unread > 0 && <Link href="/notifications">{t.home.unread(unread)}</Link>}
                <Link href="/account">{t.home.manage}</Link>
              </>
            }
            detail={[profile?.displayName && session.handle, session.email ?? t.account.noEmail]
              .filter(Boolean)
              .join(' · ')}
            icon={<Avatar handle={session.handle} picture={profile?.avatar} size="l" />}
            title={
              <>
                {profile?.displayName || session.handle} <AccountBadge status={session.status} />
              </>
            }
          />
        </Panel>
      </Section>
      <ActivitySection />
      <StorageSection />
      <Identifiers />
      {/* Last, because it has no end. */}
      <HomeFeed />
    </Page>
  )
}

/** The permanent names of the account and the server, for tools. */
function Identifiers() {
  const { did } = useSession()
  const { data: server } = usePublicXrpcQuery(com.core.server.describeServer, {})
  return (
    <FoldedSection lead={t.home.didHint} title={t.home.identifiers}>
      <Panel>
        <CopyField label={t.ui.copyDid} name={t.home.did} text={did} />
        <CopyField label={t.home.copyServerDid} name={t.home.serverDid} text={server?.did ?? '…'} />
      </Panel>
      <CopyBlock label={t.ui.copyCommand} text={`curl ${endpoint}/xrpc/com.core.server.describeServer`} />
    </FoldedSection>
  )
}
