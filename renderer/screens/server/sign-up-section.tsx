import type { Settings, SettingsView } from '../../../electron/bridge.ts'
import { useSetting } from '../../parts/settings.ts'
import { SettingsForm } from '../../parts/settings-form.tsx'
import { t } from '../../strings/en.ts'
import { SelectField } from '../../ui/field.tsx'
import { Panel, Section } from '../../ui/page.tsx'

type Rule = Settings['inviteRequired']

const rules: readonly Rule[] = ['auto', 'on', 'off']

export function SignUpSection({ view }: { readonly view: SettingsView }) {
  const [rule, setRule] = useSetting(view, 'inviteRequired')
  return (
    <Section lead={t.server.signUpLead} title={t.server.signUp}>
      <Panel padded>
        <SelectField
          hint={t.server.inviteRequiredDetail}
          label={t.server.inviteRequired}
          onChange={(chosen) => setRule(chosen as Rule)}
          options={rules.map((value) => ({ value, label: t.server.inviteRules[value] }))}
          value={rule}
        />
      </Panel>
      <SettingsForm labels={t.server.labels.signUp} view={view} />
    </Section>
  )
}
