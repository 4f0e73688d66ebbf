import { com } from '../../../lexicons/generated/index.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { accountQueries, type ListedAccount } from './listed-account.ts'

interface EmailDialogProps {
  readonly account: ListedAccount
  onClose(): void
}

export function EmailDialog({ account: { did, handle, email }, onClose }: EmailDialogProps) {
  const update = useDialogAction(com.core.admin.updateAccountEmail, {
    invalidates: accountQueries,
    input: (field) => ({ account: did, email: field('email') }),
    done: t.accounts.emailChanged(handle),
    onClose,
  })
  return (
    <FormDialog {...update} action={t.accounts.changeEmailSubmit} title={t.accounts.changeEmailTitle(handle)}>
      <p>{t.accounts.changeEmailText}</p>
      <Field
        autoComplete="off"
        defaultValue={email}
        label={t.accounts.email}
        name="email"
        required
        type="email"
      />
    </FormDialog>
  )
}
