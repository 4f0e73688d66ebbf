import { Link } from 'wouter'
import { t } from '../../strings/en.ts'
import { Page } from '../../ui/page.tsx'
import { DangerSection } from './danger-section.tsx'
import { EmailSection } from './email-section.tsx'
import { IdentitySection } from './identity-section.tsx'
import { MoveSection } from './move-section.tsx'
import { ProfileSection } from './profile-section.tsx'
import { SignInSection } from './sign-in-section.tsx'
import { StoredDataSection } from './stored-data-section.tsx'

export function AccountScreen() {
  return (
    <Page lead={t.account.lead} title={t.account.title}>
      <ProfileSection />
      <IdentitySection />
      <EmailSection />
      <SignInSection />
      <StoredDataSection />
      <MoveSection />
      <DangerSection />
      <p>
        <Link href="/service-tokens">{t.serviceTokens.link}</Link>
      </p>
    </Page>
  )
}
