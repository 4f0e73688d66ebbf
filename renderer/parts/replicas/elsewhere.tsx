import { useQuery, useQueryClient } from '@tanstack/react-query'
import { com } from '../../../lexicons/generated/index.ts'
import { callAs } from '../../api/client.ts'
import { callDesktop, keyOf } from '../../api/desktop.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { formatMoment } from '../../strings/format.ts'
import { ConfirmDialog, DialogButton } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/states.tsx'
import { useNow } from '../../ui/time.tsx'
import { useDialogWork } from '../dialog-action.ts'

interface ElsewhereProps {
  readonly isSeen?: boolean | undefined
  readonly since?: string | undefined
}

/**
 * Shown while another computer continues the server: the choice between the two. The desktop is asked, because a server that accepts no
 * changes opens no session. @param isSeen whether a place of the server says so, in a browser @param since when that began, if it is known
 */
export function ElsewhereNotice({ isSeen = false, since }: ElsewhereProps) {
  const now = useNow()
  const { data } = useQuery({
    queryKey: keyOf('copies.isElsewhere'),
    queryFn: () => callDesktop('copies.isElsewhere'),
    enabled: desktop !== undefined,
    networkMode: 'always',
    refetchInterval: 5000,
  })
  if (!(desktop ? data : isSeen)) return null
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
      <strong>{t.copies.elsewhere(since && formatMoment(since, now))}</strong> {t.copies.elsewhereText}{' '}
      {t.copies.elsewhereKept}
    </Notice>
  )
}

function ContinueDialog({ onClose }: { onClose(): void }) {
  const client = useQueryClient()
  const proceed = useDialogWork<unknown>({
    run: (_, did) =>
      desktop ? callDesktop('copies.continue') : callAs(did, com.core.admin.continueServer, {}),
    done: t.copies.continued,
    onDone: () => void client.invalidateQueries(),
    onClose,
  })
  return (
    <ConfirmDialog {...proceed} action={t.copies.continueSubmit} title={t.copies.continueTitle}>
      <p>{t.copies.continueText}</p>
      <p>{t.copies.continueLost}</p>
    </ConfirmDialog>
  )
}

function StopDialog({ onClose }: { onClose(): void }) {
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
