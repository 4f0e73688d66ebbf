import { useDesktopQuery } from '../../api/desktop.ts'
import { endpoint } from '../../api/endpoint.ts'
import { desktop } from '../../bridge.ts'
import { createStore, useStore } from '../../store.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Panel, Stack } from '../../ui/page.tsx'

/** Whether the dialog is open. */
const isReadyOpen = createStore(false)

/** Called when the first account was created. */
export function showReadyDialog(): void {
  isReadyOpen.set(desktop !== undefined)
}

/** The last step of the first run in the desktop: shows the address and explains the tray. */
export function ReadyDialog() {
  return useStore(isReadyOpen) ? <ReadyContent /> : null
}

function ReadyContent() {
  const { data: view } = useDesktopQuery('settings.view')
  const close = () => isReadyOpen.set(false)
  return (
    <Dialog onClose={close} title={t.firstRun.readyTitle}>
      <Stack>
        <p>{t.firstRun.readyText}</p>
        <Panel>
          <CopyField label={t.ui.copyAddress} name={t.connect.address} text={endpoint} />
        </Panel>
        {view && <p>{view.hasTray && view.settings.closeToTray ? t.firstRun.tray : t.firstRun.noTray}</p>}
      </Stack>
      <DialogActions>
        <Button variant="primary" onClick={close}>
          {t.ui.continue}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
