import { t } from '../../strings/en.ts'
import { Page } from '../../ui/page.tsx'
import { EmailSection } from './email-section.tsx'
import { FiguresSection } from './figures-section.tsx'
import { LeavingSection } from './leaving-section.tsx'
import { SigningInSection } from './signing-in-section.tsx'

export function AccountScreen() {
  return (
    <Page lead={t.account.lead} title={t.account.title}>
      <EmailSection />
      <SigningInSection />
      <FiguresSection />
      <LeavingSection />
    </Page>
  )
}
