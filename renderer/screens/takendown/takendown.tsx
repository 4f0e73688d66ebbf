import { com } from '../../../lexicons/generated/index.ts'
import { t } from '../../strings/en.ts'
import { Page, Section } from '../../ui/page.tsx'
import { LeavingSection } from '../account/leaving-section.tsx'
import { ServiceTokenForm } from '../service-tokens/service-token-form.tsx'

/** All that a narrow session can do: take the identity elsewhere, deactivate, delete. */
export function TakendownScreen() {
  return (
    <Page lead={t.takendown.lead} title={t.takendown.title}>
      <Section lead={t.takendown.moveLead} title={t.takendown.move}>
        <ServiceTokenForm onlyMethod={com.core.server.createAccount.$nsid} />
      </Section>
      <LeavingSection />
    </Page>
  )
}
