import { Link } from 'wouter'
import type { SettingsView } from '../../../electron/bridge.ts'
import { SettingsForm } from '../../parts/settings-form.tsx'
import { t } from '../../strings/en.ts'
import { Section } from '../../ui/page.tsx'

export function PortSection({ view }: { readonly view: SettingsView }) {
  return (
    <Section
      action={<Link href="/network">{t.server.toNetwork}</Link>}
      lead={t.server.portLead}
      title={t.server.port}
    >
      <SettingsForm labels={t.server.labels.port} view={view} />
    </Section>
  )
}
