import { useState } from 'react'
import type { SettingsView } from '../../../electron/bridge.ts'
import { t } from '../../strings/en.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { Switch } from '../../ui/switch.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './server.module.css'
import { useSettingsChange } from './setting-switch.tsx'
import { SettingsForm } from './settings-form.tsx'

export function NetworkSection({ view }: { readonly view: SettingsView }) {
  return (
    <Section lead={t.server.networkLead} title={t.server.network}>
      <Panel>
        <NetworkAccess isOn={view.settings.networkAccess} />
      </Panel>
      <SettingsForm names={['port', 'publicUrl', 'hostnames']} view={view} />
    </Section>
  )
}

/** Turning on needs confirmation, turning off does not. */
function NetworkAccess({ isOn }: { readonly isOn: boolean }) {
  const [isAsking, setAsking] = useState(false)
  const close = useSettingsChange(() => toast(t.server.networkClosed))
  const open = useSettingsChange(() => {
    toast(t.server.networkOpened)
    setAsking(false)
  })
  return (
    <Row
      action={
        <>
          <Switch
            checked={isOn && !close.isPending}
            label={t.server.networkAccess}
            labelHidden
            onChange={(on) => (on ? setAsking(true) : close.mutate([{ networkAccess: false }]))}
          />
          {isAsking && (
            <ConfirmDialog
              action={t.server.networkConfirm}
              busy={open.isPending}
              error={open.error}
              onClose={() => setAsking(false)}
              onConfirm={() => open.mutate([{ networkAccess: true }])}
              title={t.server.networkTitle}
            >
              <div className={styles.points}>
                {t.server.networkText.map((text) => (
                  <p key={text}>{text}</p>
                ))}
              </div>
            </ConfirmDialog>
          )}
        </>
      }
      detail={isOn ? t.server.networkAccessOn : t.server.networkAccessOff}
      title={t.server.networkAccess}
    />
  )
}
