import { com } from '../../../lexicons/generated/index.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { accountQueries, type ListedAccount } from './listed-account.ts'

interface RemoveDialogProps {
  readonly account: ListedAccount
  onClose(): void
}

export function RemoveDialog({ account: { did, handle }, onClose }: RemoveDialogProps) {
  const remove = useDialogAction(com.core.admin.deleteAccount, {
    invalidates: accountQueries,
    input: () => ({ did }),
    done: t.accounts.removed(handle),
    onClose,
  })
  return (
    <ConfirmDialog
      {...remove}
      action={t.accounts.remove}
      title={t.accounts.removeTitle(handle)}
      typed={{ label: t.accounts.removeTyped(handle), text: handle }}
    >
      {t.accounts.removeText}
    </ConfirmDialog>
  )
}
