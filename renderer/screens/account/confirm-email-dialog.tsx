import type { UseMutationResult } from '@tanstack/react-query'
import { com } from '../../../lexicons/generated/index.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { CodeForm } from './code-form.tsx'

interface ConfirmEmailDialogProps {
  readonly email: string
  readonly codeRequest: UseMutationResult<unknown, Error, undefined>
  onClose(): void
}

export function ConfirmEmailDialog({ email, codeRequest, onClose }: ConfirmEmailDialogProps) {
  const confirm = useDialogAction(com.core.server.confirmEmail, {
    invalidates: [com.core.server.getSession],
    input: (field) => ({ email, token: field('code').trim() }),
    done: t.account.confirmedToast,
    onClose,
  })
  return (
    <Dialog onClose={onClose} title={t.account.confirmTitle}>
      <CodeForm
        {...confirm}
        action={t.account.confirm}
        codeRequest={codeRequest}
        email={email}
        onResend={(callbacks) => codeRequest.mutate(undefined, callbacks)}
      />
    </Dialog>
  )
}
