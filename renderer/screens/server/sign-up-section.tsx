import type { SettingsView } from '../../../electron/bridge.ts'
import { t } from '../../strings/en.ts'
import { Panel, Section } from '../../ui/page.tsx'
import { SettingSwitch } from './setting-switch.tsx'
import { SettingsForm } from './settings-form.tsx'

export function SignUpSection({ view }: { readonly view: SettingsView }) {
  return (
    <Section lead={t.server.signUpLead} title={t.server.signUp}>
      <Panel>
        <SettingSwitch
          detail={t.server.inviteRequiredDetail}
          label={t.server.inviteRequired}
          name="inviteRequired"
          view={view}
        />
      </Panel>
      <SettingsForm names={['userDomains', 'inviteInterval']} view={view} />
    </Section>
  )
}
