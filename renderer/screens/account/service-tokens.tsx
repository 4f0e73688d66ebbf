import { t } from '../../strings/en.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Page } from '../../ui/page.tsx'
import { ServiceTokenForm } from './service-token-form.tsx'

export function ServiceTokensScreen() {
  return (
    <Page
      before={<BackLink href="/account" name={t.nav.account} />}
      lead={t.serviceTokens.lead}
      title={t.serviceTokens.title}
    >
      <ServiceTokenForm />
    </Page>
  )
}
