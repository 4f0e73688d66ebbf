import { Link } from 'wouter'
import type { SettingsView } from '../../../electron/ground/bridge.ts'
import { callDesktop, useDesktopQuery } from '../../api/desktop.ts'
import { useSetting } from '../../parts/settings/settings.ts'
import { SettingsForm } from '../../parts/settings/settings-form.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Page, Panel, Section } from '../../ui/page.tsx'
import { Loaded, Notice } from '../../ui/states.tsx'
import { MailSection } from './mail-section.tsx'
import { StatePanel } from './state-panel.tsx'

/** Settings of the embedded server. Text fields are saved per section, switches immediately. */
export function ServerScreen() {
  const query = useDesktopQuery('settings.view')
  return (
    <Page lead={t.server.lead} title={t.nav.server}>
      <StatePanel />
      <Loaded query={query} rows={6}>
        {(view) => (
          <>
            <PortSection view={view} />
            <SignUpSection view={view} />
            <MailSection view={view} />
            <DataSection view={view} />
            <AdvancedSection view={view} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function PortSection({ view }: { readonly view: SettingsView }) {
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

function SignUpSection({ view }: { readonly view: SettingsView }) {
  const [rule, setRule] = useSetting(view, 'inviteRequired')
  return (
    <Section lead={t.server.signUpLead} title={t.server.signUp}>
      <Panel padded>
        <SelectField
          hint={t.server.inviteRequiredDetail}
          label={t.server.inviteRequired}
          onChange={setRule}
          options={t.server.inviteRules}
          value={rule}
        />
      </Panel>
      <SettingsForm labels={t.server.labels.signUp} view={view} />
    </Section>
  )
}

function DataSection({ view }: { readonly view: SettingsView }) {
  return (
    <Section
      action={
        <Button onClick={() => void callDesktop('app.openFolder', 'data')} size="s">
          {t.ui.openFolder}
        </Button>
      }
      title={t.server.data}
    >
      <Panel>
        <CopyField label={t.ui.copyPath} name={t.ui.dataFolder} text={view.dataFolder} />
      </Panel>
      {view.secretProtection === 'system' ? (
        <Notice>{t.server.protectedBySystem}</Notice>
      ) : (
        <Notice variant="warn">{t.server.protectedByFile}</Notice>
      )}
    </Section>
  )
}

function AdvancedSection({ view }: { readonly view: SettingsView }) {
  const [level, setLevel] = useSetting(view, 'logLevel')
  return (
    <Section lead={t.server.advancedLead} title={t.server.advanced}>
      <SettingsForm labels={t.server.labels.advanced} view={view} />
      <Panel padded>
        <SelectField
          hint={t.server.logLevelHint}
          label={t.server.logLevel}
          onChange={setLevel}
          options={t.server.logLevels}
          value={level}
        />
      </Panel>
    </Section>
  )
}
