import { Link } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { endpoint } from '../../api/endpoint.ts'
import { usePublicXrpcQuery } from '../../api/hooks.ts'
import { useUnreadCount } from '../../api/notifications.ts'
import { useOwnProfile } from '../../api/profile.ts'
import { useSession } from '../../api/sessions.ts'
import { AccountBadge } from '../../parts/account-badge.tsx'
import { t } from '../../strings/en.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { CopyBlock, CopyField } from '../../ui/copy.tsx'
import { Page, Panel, Row, Section } from '../../ui/page.tsx'
import { ActivitySection } from './activity-section.tsx'
import styles from './home.module.css'
import { StorageSection } from './storage-section.tsx'

export function HomeScreen() {
  const session = useSession()
  const unread = useUnreadCount()
  const { data: profile } = useOwnProfile(session.did)
  const { data: server } = usePublicXrpcQuery(com.core.server.describeServer, {})
  return (
    <Page lead={t.home.lead} title={t.home.title}>
      <Panel>
        <CopyField label={t.home.copyEndpoint} name={t.home.endpoint} text={endpoint} />
        <CopyField label={t.home.copyDid} name={t.home.did} text={session.did} />
        <CopyField label={t.home.copyServerDid} name={t.home.serverDid} text={server?.did ?? '…'} />
        <p className={styles.note}>{t.home.didHint}</p>
      </Panel>
      <Section title={t.home.account}>
        <Panel>
          <Row
            action={
              <>
                {unread > 0 && <Link href="/notifications">{t.home.unread(unread)}</Link>}
                <Link href="/account">{t.home.manage}</Link>
              </>
            }
            detail={session.email ?? t.home.noEmail}
            icon={<Avatar handle={session.handle} picture={profile?.avatar} size="l" />}
            title={
              <>
                {session.handle} <AccountBadge status={session.status} />
              </>
            }
          />
        </Panel>
      </Section>
      <ActivitySection />
      <StorageSection />
      <Section lead={t.home.clientLead} title={t.home.client}>
        <ol className={styles.steps}>
          {t.home.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <p>
          <Link href="/app-passwords">{t.home.createAppPassword}</Link>
        </p>
      </Section>
      <Section title={t.home.curl}>
        <CopyBlock label={t.home.copyCommand} text={`curl ${endpoint}/xrpc/com.core.server.describeServer`} />
      </Section>
    </Page>
  )
}
