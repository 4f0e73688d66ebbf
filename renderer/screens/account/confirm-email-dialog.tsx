import type { UseMutationResult } from '@tanstack/react-query'
import { com } from '../../../lexicons/generated/index.ts'
import { useAct } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { CodeForm } from './code-form.tsx'

interface ConfirmEmailDialogProps {
  readonly email: string
  readonly mailing: UseMutationResult<unknown, Error, undefined>
  onClose(): void
}

export function ConfirmEmailDialog({ email, mailing, onClose }: ConfirmEmailDialogProps) {
  const confirm = useAct(com.core.server.confirmEmail, [com.core.server.getSession], {
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
        mailing={mailing}
        onAgain={(told) => mailing.mutate(undefined, told)}
        onCode={(token) => confirm.mutate({ email, token })}
      />
    </Dialog>
  )
}
