import { Link } from 'wouter'
import { t } from '../../strings/en.ts'
import { Page } from '../../ui/page.tsx'

export function NotFoundScreen() {
  return (
    <Page lead={t.notFound.lead} title={t.notFound.title}>
      <p>
        <Link href="/">{t.ui.toHome}</Link>
      </p>
    </Page>
  )
}
