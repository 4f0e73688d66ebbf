import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { hostOf, type Move } from '../../api/moves.ts'
import { removeSession, useSession } from '../../api/sessions.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog, DialogButton } from '../../ui/dialog.tsx'
import { Page, Stack } from '../../ui/page.tsx'
import { Notice } from '../../ui/states.tsx'
import { CodeNeed, CopyNeed, DocumentNeed, MediaNeed, SignInNeed } from './needs.tsx'
import { Steps } from './steps.tsx'

/** The progress of a move, and the action that its owner must take. */
export function Progress({ move }: { readonly move: Move }) {
  const host = hostOf(move.server)
  return (
    <Page
      action={
        move.canCancel && (
          <DialogButton dialog={(close) => <CancelDialog move={move} onClose={close} />}>
            {t.move.cancel}
          </DialogButton>
        )
      }
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
          <p className="soft">{move.canCancel ? t.move.keptCancel : t.move.kept}</p>
        )}
      </Stack>
    </Page>
  )
}

function FailedNotice({ error }: { readonly error: string }) {
  const retry = useProcedure(com.core.move.continueMove, [com.core.move.getMove])
  const action = (
    <Button busy={retry.isPending} onClick={() => retry.mutate({})} size="s">
      {t.ui.retry}
    </Button>
  )
  return (
    <Notice action={action} live variant="danger">
      {t.move.failed} {error}
    </Notice>
  )
}

function CancelDialog({ move, onClose }: { readonly move: Move; onClose(): void }) {
  const { did } = useSession()
  const isIn = move.direction === 'in'
  const cancel = useDialogAction(com.core.move.cancelMove, {
    invalidates: [com.core.move.getMove],
    done: t.move.cancelled,
    onDone: () => isIn && removeSession(did),
    onClose,
  })
  const text = isIn ? t.move.cancelIn : t.move.cancelOut
  return (
    <ConfirmDialog {...cancel} action={t.move.cancel} title={t.move.cancelTitle}>
      {text(hostOf(move.server))}
    </ConfirmDialog>
  )
}
