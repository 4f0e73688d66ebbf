import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { SettingsView } from '../../../electron/ground/bridge.ts'
import { useIsOwner } from '../../api/account.ts'
import { errorName, explain } from '../../api/call-errors.ts'
import { callDesktop, useDesktopQuery } from '../../api/desktop.ts'
import { isAtServer } from '../../api/endpoint.ts'
import { type ServerSettingsView, useServerSettings } from '../../api/settings.ts'
import { desktop } from '../../bridge.ts'
import { fixedHint, useSetting } from '../../parts/settings/settings.ts'
import { SettingsForm } from '../../parts/settings/settings-form.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Page, Panel, Section } from '../../ui/page.tsx'
import { Loaded, Notice } from '../../ui/states.tsx'
import { MailSection } from './mail-section.tsx'
import { StatePanel } from './state-panel.tsx'

interface SectionProps {
  readonly view: ServerSettingsView
}

/**
 * Settings of the server. Text fields are saved per section, switches immediately. In the desktop,
 * Network has the services.
 */
export function ServerScreen() {
  const query = useServerSettings()
  const isPermitted = useIsOwner() && isAtServer
  return (
    <Page lead={desktop ? t.server.lead : t.server.leadServer} title={t.nav.server}>
      {desktop && <StatePanel />}
      {!desktop && !isPermitted ? <Notice>{t.server.signIn}</Notice> : <Settings query={query} />}
    </Page>
  )
}

function Settings({ query }: { readonly query: UseQueryResult<ServerSettingsView> }) {
  if (errorName(query.error) === 'SettingsElsewhere') return <Notice>{explain(query.error)}</Notice>
  return (
    <Loaded query={query} rows={6}>
      {(view) => <Sections view={view} />}
    </Loaded>
  )
}

function Sections({ view }: SectionProps) {
  return (
    <>
      <Waiting view={view} />
      <PortSection view={view} />
      <SignUpSection view={view} />
      <MailSection />
      {desktop ? <DesktopSections /> : <DataSection view={view} />}
      {!desktop && <ServicesSection view={view} />}
      <AdvancedSection view={view} />
    </>
  )
}

const names: Readonly<Record<string, string>> = {
  ...Object.assign({}, ...Object.values(t.server.labels)),
  inviteRequired: t.server.inviteRequired,
  automaticBackups: t.settings.switches.automaticBackups,
}

/** Which changes wait for the next start. The desktop starts the server again by itself. */
function Waiting({ view: { waiting = [] } }: SectionProps) {
  if (waiting.length === 0) return null
  return (
    <Notice variant="warn">
      {t.server.waiting(waiting.map((name) => names[name] ?? name).join(', '))} {t.server.waitingText}
    </Notice>
  )
}

function DesktopSections() {
  const { data: view } = useDesktopQuery('settings.view')
  return view && <DesktopDataSection view={view} />
}

function PortSection({ view }: SectionProps) {
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

function SignUpSection({ view }: SectionProps) {
  const [rule, setRule] = useSetting(view, 'inviteRequired')
  return (
    <Section lead={t.server.signUpLead} title={t.server.signUp}>
      <Panel padded>
        <SelectField
          disabled={fixedHint(view, 'inviteRequired') !== undefined}
          hint={fixedHint(view, 'inviteRequired') ?? t.server.inviteRequiredDetail}
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

function DataSection({ view }: SectionProps) {
  return (
    <Section title={t.server.data}>
      <Panel>
        <CopyField label={t.ui.copyPath} name={t.ui.dataFolder} text={view.dataFolder} />
      </Panel>
    </Section>
  )
}

function ServicesSection({ view }: SectionProps) {
  return (
    <Section lead={t.network.servicesLead} title={t.network.services}>
      <SettingsForm labels={t.server.labels.services} view={view} />
    </Section>
  )
}

function DesktopDataSection({ view }: { readonly view: SettingsView }) {
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

function AdvancedSection({ view }: SectionProps) {
  const [level, setLevel] = useSetting(view, 'logLevel')
  return (
    <Section lead={t.server.advancedLead} title={t.server.advanced}>
      <SettingsForm labels={t.server.labels.advanced} view={view} />
      <Panel padded>
        <SelectField
          disabled={fixedHint(view, 'logLevel') !== undefined}
          hint={fixedHint(view, 'logLevel') ?? t.server.logLevelHint}
          label={t.server.logLevel}
          onChange={setLevel}
          options={t.server.logLevels}
          value={level}
        />
      </Panel>
    </Section>
  )
}
