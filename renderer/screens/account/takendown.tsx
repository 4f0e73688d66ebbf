import { com } from '../../../lexicons/generated/index.ts'
import { t } from '../../strings/en.ts'
import { LinkButton } from '../../ui/links.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { DangerSection } from './danger-section.tsx'
import { ServiceTokenForm } from './service-tokens.tsx'

/** The screen of an account that was taken down: move, deactivate or delete it. The move has a screen of its own. */
export function TakendownScreen() {
  return (
    <Page lead={t.takendown.lead} title={t.takendown.title}>
      <Section lead={t.takendown.moveLead} title={t.move.out}>
        <LinkButton href="/move">{t.takendown.moveAction}</LinkButton>
      </Section>
      <Section lead={t.takendown.tokenLead} title={t.takendown.token}>
        <ServiceTokenForm onlyMethod={com.core.server.createAccount.$nsid} />
      </Section>
      <DangerSection />
    </Page>
  )
}
