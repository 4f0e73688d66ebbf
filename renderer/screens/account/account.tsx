import { Truck } from 'lucide-react'
import { Link } from 'wouter'
import { t } from '../../strings/en.ts'
import { LinkButton } from '../../ui/links.tsx'
import { Columns, Page, Panel, Row, Section } from '../../ui/page.tsx'
import { BirthDateSection } from './birth-date-section.tsx'
import { DangerSection } from './danger-section.tsx'
import { EmailSection } from './email-section.tsx'
import { FactorsSection } from './factors-section.tsx'
import { IdentitySection } from './identity-section.tsx'
import { ProfileSection } from './profile-section.tsx'
import { SecurityChangesSection } from './security-changes-section.tsx'
import { SignInSection } from './sign-in-section.tsx'
import { StoredDataSection } from './stored-data-section.tsx'

export function AccountScreen() {
  return (
    <Page columns lead={t.account.lead} title={t.nav.account}>
      <Columns>
        <ProfileSection />
        <SignInSection />
        <FactorsSection />
        <EmailSection />
        <SecurityChangesSection />
        <BirthDateSection />
        <IdentitySection />
        <StoredDataSection />
        <MoveSection />
        <DangerSection />
      </Columns>
      <p>
        <Link href="/service-tokens">{t.serviceTokens.link}</Link>
      </p>
    </Page>
  )
}

/** Opens the wizard that moves the account to another server. */
function MoveSection() {
  return (
    <Section title={t.move.outSection}>
      <Panel>
        <Row
          action={<LinkButton href="/move">{t.move.outAction}</LinkButton>}
          detail={t.move.outDetail}
          icon={<Truck aria-hidden size={20} strokeWidth={1.75} />}
          title={t.move.out}
        />
      </Panel>
    </Section>
  )
}
