import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { callDesktop, useDesktopQuery } from '../../api/desktop.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { Notice } from '../../ui/states.tsx'
import {
  type DialogAction,
  useDesktopDialogAction,
  useDialogAction,
  useDialogWork,
} from '../dialog-action.ts'

const pollMs = 5000

/** Shown in the desktop, also without a session: a server that accepts no changes opens none. */
export function DesktopElsewhere() {
  const { data, refetch } = useDesktopQuery('copies.isElsewhere')
  useEffect(() => {
    const timer = setInterval(() => void refetch(), pollMs)
    return () => clearInterval(timer)
  }, [refetch])
  return data && <ElsewhereNotice />
}

interface DialogProps {
  onClose(): void
}

/** Shown while another computer continues the server: the choice between the two. */
export function ElsewhereNotice() {
  const Continue = desktop ? ContinueInDesktop : ContinueInBrowser
  const action = (
    <>
      <DialogButton dialog={(close) => <Continue onClose={close} />} size="s">
        {t.copies.continueHere}
      </DialogButton>
      {desktop && (
        <DialogButton dialog={(close) => <StopDialog onClose={close} />} size="s">
          {t.copies.stopHere}
        </DialogButton>
      )}
    </>
  )
  return (
    <Notice action={action} live variant="danger">
      <strong>{t.copies.elsewhere}</strong> {t.copies.elsewhereText}
    </Notice>
  )
}

function ContinueInDesktop({ onClose }: DialogProps) {
  const client = useQueryClient()
  const proceed = useDesktopDialogAction('copies.continue', {
    done: t.copies.continued,
    onDone: () => void client.invalidateQueries(),
    onClose,
  })
  return <ContinueDialog action={proceed} />
}

function ContinueInBrowser({ onClose }: DialogProps) {
  const { continueServer, getCopies } = com.core.admin
  const proceed = useDialogAction(continueServer, {
    invalidates: [getCopies],
    done: t.copies.continued,
    onClose,
  })
  return <ContinueDialog action={proceed} />
}

function ContinueDialog({ action }: { readonly action: DialogAction }) {
  return (
    <ConfirmDialog {...action} action={t.copies.continueSubmit} title={t.copies.continueTitle}>
      <p>{t.copies.continueText}</p>
      <p>{t.copies.continueLost}</p>
    </ConfirmDialog>
  )
}

function StopDialog({ onClose }: DialogProps) {
  const stop = useDialogWork({
    async run() {
      await callDesktop('settings.change', { startAtLogin: false })
      await callDesktop('server.stop')
    },
    done: t.copies.stopped,
    onClose,
  })
  return (
    <ConfirmDialog {...stop} action={t.copies.stopSubmit} title={t.copies.stopTitle}>
      {t.copies.stopText}
    </ConfirmDialog>
  )
}
