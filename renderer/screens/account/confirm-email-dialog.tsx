import type { UseMutationResult } from '@tanstack/react-query'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { CodeForm } from './code-form.tsx'

interface ConfirmEmailDialogProps {
  readonly email: string
  readonly codeRequest: UseMutationResult<unknown, Error, undefined>
  onClose(): void
}

export function ConfirmEmailDialog({ email, codeRequest, onClose }: ConfirmEmailDialogProps) {
  const confirm = useProcedure(com.core.server.confirmEmail, [com.core.server.getSession], {
    onSuccess: () => {
      toast(t.account.confirmedToast)
      onClose()
    },
  })
  return (
    <Dialog onClose={onClose} title={t.account.confirmTitle}>
      <CodeForm
        action={t.account.confirm}
        busy={confirm.isPending}
        email={email}
        error={confirm.error}
        codeRequest={codeRequest}
        onResend={(callbacks) => codeRequest.mutate(undefined, callbacks)}
        onCode={(token) => confirm.mutate({ email, token })}
      />
    </Dialog>
  )
}
