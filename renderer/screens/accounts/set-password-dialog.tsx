import { com } from '../../../lexicons/generated/index.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { NewPasswordField } from '../../parts/new-password-field.tsx'
import { t } from '../../strings/en.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import type { ListedAccount } from './listed-account.ts'

interface SetPasswordDialogProps {
  readonly account: ListedAccount
  onClose(): void
}

export function SetPasswordDialog({ account: { did, handle }, onClose }: SetPasswordDialogProps) {
  const update = useDialogAction(com.core.admin.updateAccountPassword, {
    input: (field) => ({ did, password: field('newPassword') }),
    done: t.accounts.passwordSet(handle),
    onClose,
  })
  return (
    <FormDialog {...update} action={t.accounts.setPasswordSubmit} title={t.accounts.setPasswordTitle(handle)}>
      <p>{t.accounts.setPasswordText}</p>
      <NewPasswordField username={handle} />
    </FormDialog>
  )
}
