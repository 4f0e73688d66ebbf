import { useState } from 'react'
import { useSettingsChange } from '../../parts/setting-switch.tsx'
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
  const open = useSettingsChange(() => {
    toast(t.network.changed.localNetwork)
    setAsking(false)
  })
  return (
    <Row
      action={
        <>
          <Switch
            checked={isOn && !close.isPending}
            label={t.network.otherDevices}
            labelHidden
            onChange={(on) => (on ? setAsking(true) : close.mutate([{ networkAccess: false }]))}
          />
          {isAsking && (
            <ConfirmDialog
              action={t.network.localConfirm}
              busy={open.isPending}
              error={open.error}
              onClose={() => setAsking(false)}
              onSubmit={() => open.mutate([{ networkAccess: true }])}
              title={t.network.localTitle}
            >
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
