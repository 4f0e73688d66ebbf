import { com } from '../../../lexicons/generated/index.ts'
import { callDesktop } from '../../api/desktop.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { Notice } from '../../ui/states.tsx'
import { useDialogAction, useDialogWork } from '../dialog-action.ts'

interface DialogProps {
  onClose(): void
}

/** Shown while another computer continues the server: the choice between the two. */
export function ElsewhereNotice() {
  const action = (
    <>
      <DialogButton dialog={(close) => <ContinueDialog onClose={close} />} size="s">
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

function ContinueDialog({ onClose }: DialogProps) {
  const { continueServer, getCopies } = com.core.admin
  const proceed = useDialogAction(continueServer, {
    invalidates: [getCopies],
    done: t.copies.continued,
    onClose,
  })
  return (
    <ConfirmDialog {...proceed} action={t.copies.continueSubmit} title={t.copies.continueTitle}>
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
