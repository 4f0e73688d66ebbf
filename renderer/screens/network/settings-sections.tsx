import { type ReactNode, useState } from 'react'
import type { Settings, SettingsView } from '../../../electron/ground/bridge.ts'
import { useDesktopQuery } from '../../api/desktop.ts'
import { useDialogWork } from '../../parts/dialog-action.ts'
import {
  useSaveSettings,
  useSetting,
  useSettingsChange,
  useSettingsDialogAction,
} from '../../parts/settings/settings.ts'
import { SettingsForm } from '../../parts/settings/settings-form.tsx'
import { t } from '../../strings/en.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { FoldedSection, Panel, Row, Section } from '../../ui/page.tsx'
import { Switch } from '../../ui/switch.tsx'
import { toast } from '../../ui/toast.tsx'
import { ConnectorSection } from './connector-section.tsx'
import { Points, usePublication, useTakeBack } from './publication.tsx'
import { TunnelSection } from './tunnel-section.tsx'
import { type Way, WayChoice } from './ways.tsx'

/** The settings of the desktop that concern the network. */
export function SettingsSections({ view }: { readonly view: SettingsView }) {
  const saved = wayOf(view)
  /** Chosen, and not saved yet: the public way needs an address first, the others a confirmation. */
  const [chosen, setChosen] = useState<Way>()
  /** Closing the server to the network needs no confirmation. */
  const close = useSettingsChange(() => toast(t.network.changed.thisComputer))
  const choose = (way: Way) => {
    if (way === saved) setChosen(undefined)
    else if (way === 'thisComputer' && saved === 'localNetwork') close.mutate(settingsOf[way])
    else setChosen(way)
  }
  const way = chosen ?? saved
  return (
    <>
      <Section title={t.network.ways}>
        <WayChoice current={saved} onChange={choose} way={way} />
      </Section>
      {chosen && chosen !== 'public' && (
        <WayDialog from={saved} onClose={() => setChosen(undefined)} to={chosen} />
      )}
      {way === 'public' && <ProgramSections />}
      {saved === 'public' && <KeepAwake view={view} />}
      {way === 'public' && (
        <AddressSection>
          <SettingsForm
            labels={t.server.labels.address}
            onSaved={() => setChosen(undefined)}
            proposal={proposalFor(view)}
            view={view}
          />
          <Panel>
            <OtherDevices isOn={view.settings.networkAccess} />
          </Panel>
        </AddressSection>
      )}
      {way === 'localNetwork' && (
        <Section lead={t.network.namesLead} title={t.network.names}>
          <SettingsForm labels={t.server.labels.names} view={view} />
        </Section>
      )}
    </>
  )
}

/** The two programs that give a public address; once one is used, only that one. */
function ProgramSections() {
  const publication = usePublication()
  const { data: connector } = useDesktopQuery('connector.view')
  return (
    <>
      {connector?.url === undefined && <TunnelSection />}
      {publication?.by !== 'tunnel' && <ConnectorSection />}
    </>
  )
}

function KeepAwake({ view }: { readonly view: SettingsView }) {
  const [choice, setChoice] = useSetting(view, 'keepAwake')
  return (
    <Panel padded>
      <SelectField
        hint={t.network.keepAwakeHint}
        label={t.network.keepAwake}
        onChange={setChoice}
        options={t.network.keepAwakeChoices}
        value={choice}
      />
    </Panel>
  )
}

/** The address of a proxy or tunnel that the person runs. With one of the programs, few people need it. */
function AddressSection({ children }: { readonly children: ReactNode }) {
  const Shown = usePublication() ? FoldedSection : Section
  return (
    <Shown lead={t.network.addressLead} title={t.network.address}>
      {children}
    </Shown>
  )
}

/** Pages of other origins that may read before a sign-in. */
export function PagesSection({ view }: { readonly view: SettingsView }) {
  return (
    <FoldedSection lead={t.network.pagesLead} title={t.network.pages}>
      <SettingsForm labels={t.server.labels.pages} view={view} />
    </FoldedSection>
  )
}

/** The services of the settings. */
export function ServicesSection({ view }: { readonly view: SettingsView }) {
  return (
    <FoldedSection lead={t.network.servicesLead} title={t.network.services}>
      <SettingsForm labels={t.server.labels.services} view={view} />
    </FoldedSection>
  )
}

/** A proxy usually runs on the same computer. */
function proposalFor({ settings, defaults }: SettingsView): Partial<Settings> {
  const isSet = (name: 'proxyPort' | 'trustedProxies') => Boolean(settings[name] || defaults[name])
  if (isSet('proxyPort') || isSet('trustedProxies')) return {}
  return { proxyPort: String(Number(settings.port || defaults.port) + 1) }
}

/** The settings of each way except the public one. */
const settingsOf: Readonly<Record<Exclude<Way, 'public'>, Partial<Settings>>> = {
  thisComputer: { networkAccess: false, publicUrl: '' },
  localNetwork: { networkAccess: true, publicUrl: '' },
}

function wayOf({ settings }: SettingsView): Way {
  if (settings.publicUrl) return 'public'
  return settings.networkAccess ? 'localNetwork' : 'thisComputer'
}

interface WayDialogProps {
  readonly from: Way
  readonly to: Exclude<Way, 'public'>
  onClose(): void
}

function WayDialog({ from, to, onClose }: WayDialogProps) {
  const save = useSaveSettings()
  const publication = usePublication()
  const takeBack = useTakeBack(publication)
  const change = useDialogWork({
    async run() {
      // Otherwise the program would keep forwarding requests.
      if (publication) await takeBack.mutateAsync()
      await save(settingsOf[to])
    },
    done: t.network.changed[to],
    onClose,
  })
  const wasPublic = from === 'public'
  const texts = [
    ...(wasPublic ? t.network.privateText : []),
    ...(to === 'localNetwork' ? t.network.localText : []),
  ]
  return (
    <ConfirmDialog
      {...change}
      action={wasPublic ? t.network.privateConfirm : t.network.localConfirm}
      title={wasPublic ? t.network.privateTitle : t.network.localTitle}
    >
      <Points texts={texts} />
    </ConfirmDialog>
  )
}

/** Whether a public server accepts connections of the network too. Turning on needs confirmation, turning off does not. */
function OtherDevices({ isOn }: { readonly isOn: boolean }) {
  const [isAsking, setAsking] = useState(false)
  const close = useSettingsChange(() => toast(t.network.closed))
  const open = useSettingsDialogAction(
    { networkAccess: true },
    { done: t.network.changed.localNetwork, onClose: () => setAsking(false) },
  )
  return (
    <Row
      action={
        <>
          <Switch
            checked={isOn && !close.isPending}
            label={t.network.otherDevices}
            labelHidden
            onChange={(on) => (on ? setAsking(true) : close.mutate({ networkAccess: false }))}
          />
          {isAsking && (
            <ConfirmDialog {...open} action={t.network.localConfirm} title={t.network.localTitle}>
              <Points texts={t.network.localText} />
            </ConfirmDialog>
          )}
        </>
      }
      detail={t.network.otherDevicesDetail}
      title={t.network.otherDevices}
    />
  )
}
