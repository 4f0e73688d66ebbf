import type { LogLevel, SettingsView } from '../../../electron/bridge.ts'
import { useSetting } from '../../parts/settings.ts'
import { SettingsForm } from '../../parts/settings-form.tsx'
import { t } from '../../strings/en.ts'
import { SelectField } from '../../ui/field.tsx'
import { Panel, Section } from '../../ui/page.tsx'

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

export function AdvancedSection({ view }: { readonly view: SettingsView }) {
  const [level, setLevel] = useSetting(view, 'logLevel')
  return (
    <Section lead={t.server.advancedLead} title={t.server.advanced}>
      <SettingsForm labels={t.server.labels.advanced} view={view} />
      <Panel padded>
        <SelectField
          hint={t.server.logLevelHint}
          label={t.server.logLevel}
          onChange={(chosen) => setLevel(chosen as LogLevel)}
          options={levels.map((value) => ({ value, label: t.server.logLevels[value] }))}
          value={level}
        />
      </Panel>
    </Section>
  )
}
