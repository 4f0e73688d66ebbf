import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { accountQueries, type ListedAccount } from './listed-account.ts'

interface EmailDialogProps {
  readonly account: ListedAccount
  onClose(): void
}

export function EmailDialog({ account: { did, handle, email: current = '' }, onClose }: EmailDialogProps) {
  const [email, setEmail] = useState(current)
  const update = useProcedure(com.core.admin.updateAccountEmail, accountQueries, {
    onSuccess: () => {
      toast(t.accounts.emailChanged(handle))
      onClose()
    },
  })
  return (
    <FormDialog
      action={t.accounts.changeEmailSubmit}
      busy={update.isPending}
      error={update.error}
      onClose={onClose}
      onSubmit={() => update.mutate({ account: did, email })}
      title={t.accounts.changeEmailTitle(handle)}
    >
      <p>{t.accounts.changeEmailText}</p>
      <Field
        autoComplete="off"
        label={t.accounts.email}
        onChange={(event) => setEmail(event.target.value)}
        required
        type="email"
        value={email}
      />
    </FormDialog>
  )
}
