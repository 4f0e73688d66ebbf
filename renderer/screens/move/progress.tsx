import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { hostOf, type Move } from '../../api/moves.ts'
import { removeSession, useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Page, Stack } from '../../ui/page.tsx'
import { Notice } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './move.module.css'
import { CodeNeed, CopyNeed, DocumentNeed, MediaNeed, SignInNeed } from './needs.tsx'
import { Steps } from './steps.tsx'

/** The progress of a move, and what its owner must do. */
export function Progress({ move }: { readonly move: Move }) {
  const host = hostOf(move.server)
  return (
    <Page
      action={move.canCancel && <CancelButton move={move} />}
      lead={t.move.lead}
      title={move.direction === 'in' ? t.move.titleIn : t.move.titleOut(host)}
    >
      <Stack>
        {move.writesStopped && <Notice variant="warn">{t.move.bannerStopped(host)}</Notice>}
        {move.need === 'code' && <CodeNeed move={move} />}
        {move.need === 'signIn' && <SignInNeed move={move} />}
        {move.need === 'document' && <DocumentNeed move={move} />}
        {move.need === 'media' && <MediaNeed move={move} />}
        {move.need === 'copy' && <CopyNeed move={move} />}
        {move.error && move.need === undefined && <FailedNotice error={move.error} />}
        <Steps move={move} />
        {move.direction === 'in' && (
          <p className={styles.kept}>{move.canCancel ? t.move.keptCancel : t.move.kept}</p>
        )}
      </Stack>
    </Page>
  )
}

function FailedNotice({ error }: { readonly error: string }) {
  const retry = useProcedure(com.core.move.continueMove, [com.core.move.getMove])
  const action = (
    <Button busy={retry.isPending} onClick={() => retry.mutate({})} size="s">
      {t.move.retry}
    </Button>
  )
  return (
    <Notice action={action} live variant="danger">
      {t.move.failed} {error}
    </Notice>
  )
}

function CancelButton({ move }: { readonly move: Move }) {
  const { did } = useSession()
  const [isOpen, setOpen] = useState(false)
  const host = hostOf(move.server)
  const cancel = useProcedure(com.core.move.cancelMove, [com.core.move.getMove], {
    onSuccess: () => {
      setOpen(false)
      toast(t.move.cancelled)
      if (move.direction === 'in') removeSession(did)
    },
  })
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t.move.cancel}</Button>
      {isOpen && (
        <ConfirmDialog
          action={t.move.cancelSubmit}
          busy={cancel.isPending}
          error={cancel.error}
          onClose={() => setOpen(false)}
          onSubmit={() => cancel.mutate(undefined)}
          title={t.move.cancelTitle}
        >
          {move.direction === 'in' ? t.move.cancelIn(host) : t.move.cancelOut(host)}
        </ConfirmDialog>
      )}
    </>
  )
}
