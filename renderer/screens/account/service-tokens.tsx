import { t } from '../../strings/en.ts'
import { Page } from '../../ui/page.tsx'
import { ServiceTokenForm } from './service-token-form.tsx'

export function ServiceTokensScreen() {
  return (
    <Page lead={t.serviceTokens.lead} title={t.serviceTokens.title}>
      <ServiceTokenForm />
    </Page>
  )
}
