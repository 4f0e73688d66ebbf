import { useState } from 'react'
import type { Settings, SettingsView } from '../../../electron/bridge.ts'
import { useSettingsChange, useSettingsDialogAction } from '../../parts/settings.ts'
import { SettingsForm } from '../../parts/settings-form.tsx'
import { t } from '../../strings/en.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { FoldedSection, Panel, Row, Section } from '../../ui/page.tsx'
import { Switch } from '../../ui/switch.tsx'
import { toast } from '../../ui/toast.tsx'
import { Points } from './points.tsx'
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
        <WayChoice onChange={choose} way={way} />
      </Section>
      {chosen && chosen !== 'public' && (
        <WayDialog from={saved} onClose={() => setChosen(undefined)} to={chosen} />
      )}
      {way === 'public' && (
        <Section lead={t.network.addressLead} title={t.network.address}>
          <SettingsForm
            labels={t.server.labels.address}
            onSaved={() => setChosen(undefined)}
            proposal={view.settings.trustedProxies || view.defaults.trustedProxies ? {} : proposal}
            view={view}
          />
          <Panel>
            <OtherDevices isOn={view.settings.networkAccess} />
          </Panel>
        </Section>
      )}
      {way === 'localNetwork' && (
        <Section lead={t.network.namesLead} title={t.network.names}>
          <SettingsForm labels={t.server.labels.names} view={view} />
        </Section>
      )}
    </>
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
const proposal: Partial<Settings> = { trustedProxies: 'loopback' }

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
  const change = useSettingsDialogAction(settingsOf[to], { done: t.network.changed[to], onClose })
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
