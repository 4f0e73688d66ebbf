import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { accountQueries, type ListedAccount } from './listed-account.ts'

interface RemoveDialogProps {
  readonly account: ListedAccount
  onClose(): void
}

export function RemoveDialog({ account: { did, handle }, onClose }: RemoveDialogProps) {
  const remove = useProcedure(com.core.admin.deleteAccount, accountQueries, {
    onSuccess: () => {
      toast(t.accounts.removed(handle))
      onClose()
    },
  })
  return (
    <ConfirmDialog
      action={t.accounts.remove}
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate({ did })}
      title={t.accounts.removeTitle(handle)}
      typed={{ label: t.accounts.removeTyped(handle), text: handle }}
    >
      {t.accounts.removeText}
    </ConfirmDialog>
  )
}
