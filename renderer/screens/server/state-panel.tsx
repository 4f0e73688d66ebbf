import { Play, RotateCw, Square } from 'lucide-react'
import type { ServerState } from '../../../electron/ground/bridge.ts'
import { callDesktop, serverState, useDesktopCall } from '../../api/desktop.ts'
import { useDesktopDialogAction } from '../../parts/dialog-action.ts'
import { useStore } from '../../store.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { ConfirmDialog, DialogButton } from '../../ui/dialog.tsx'
import { Panel, Row } from '../../ui/page.tsx'
import { Badge } from '../../ui/states.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { toastError } from '../../ui/toast.tsx'
import styles from './server.module.css'

const variants = {
  running: 'good',
  starting: 'plain',
  stopping: 'plain',
  stopped: 'warn',
  failed: 'danger',
} as const

/** The state of the server, with start, stop and restart. */
export function StatePanel() {
  const state = useStore(serverState)
  if (!state) return null
  return (
    <Panel>
      <Row
        action={<StateButtons state={state} />}
        detail={
          <>
            {state.kind === 'running' && (
              <>
                {t.server.started} <RelativeTime at={state.since} />
              </>
            )}
            {state.kind === 'failed' && state.message}
          </>
        }
        title={
          <span role="status">
            <Badge variant={variants[state.kind]}>{t.server.states[state.kind]}</Badge>
          </span>
        }
      />
      {state.kind === 'running' && (
        <div className={styles.address}>
          <CopyField label={t.ui.copyAddress} name={t.connect.address} text={state.endpoint} />
        </div>
      )}
    </Panel>
  )
}

function StateButtons({ state }: { readonly state: ServerState }) {
  const callbacks = { onError: toastError }
  const start = useDesktopCall('server.start', [], callbacks)
  const restart = useDesktopCall('server.restart', [], callbacks)
  const isChanging = state.kind === 'starting' || state.kind === 'stopping'
  if (state.kind === 'stopped' || state.kind === 'failed') {
    return (
      <Button
        busy={start.isPending}
        icon={<Play aria-hidden size={16} />}
        variant="primary"
        onClick={() => start.mutate([])}
      >
        {t.server.start}
      </Button>
    )
  }
  return (
    <>
      <Button variant="quiet" onClick={() => void callDesktop('app.openPage', 'endpoint')}>
        {t.server.openPage}
      </Button>
      <Button
        busy={restart.isPending || isChanging}
        icon={<RotateCw aria-hidden size={16} />}
        onClick={() => restart.mutate([])}
      >
        {t.server.restart}
      </Button>
      <DialogButton
        dialog={(close) => <StopDialog onClose={close} />}
        disabled={isChanging}
        icon={<Square aria-hidden size={14} />}
      >
        {t.server.stop}
      </DialogButton>
    </>
  )
}

function StopDialog({ onClose }: { onClose(): void }) {
  return (
    <ConfirmDialog
      {...useDesktopDialogAction('server.stop', { onClose })}
      action={t.server.stop}
      title={t.server.stopTitle}
    >
      {t.server.stopText}
    </ConfirmDialog>
  )
}
