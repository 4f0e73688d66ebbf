import { useState } from 'react'
import { useSettingsChange, useSettingsDialogAction } from '../../parts/settings.ts'
import { t } from '../../strings/en.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Row } from '../../ui/page.tsx'
import { Switch } from '../../ui/switch.tsx'
import { toast } from '../../ui/toast.tsx'
import { Points } from './points.tsx'

/** Whether a public server accepts connections of the network too. Turning on needs confirmation, turning off does not. */
export function OtherDevices({ isOn }: { readonly isOn: boolean }) {
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
