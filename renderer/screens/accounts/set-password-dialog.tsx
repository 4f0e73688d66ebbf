import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { NewPasswordField } from '../../parts/new-password-field.tsx'
import { t } from '../../strings/en.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import type { ListedAccount } from './listed-account.ts'

interface SetPasswordDialogProps {
  readonly account: ListedAccount
  onClose(): void
}

export function SetPasswordDialog({ account: { did, handle }, onClose }: SetPasswordDialogProps) {
  const [password, setPassword] = useState('')
  const update = useProcedure(com.core.admin.updateAccountPassword, [], {
    onSuccess: () => {
      toast(t.accounts.passwordSet(handle))
      onClose()
    },
  })
  return (
    <FormDialog
      action={t.accounts.setPasswordSubmit}
      busy={update.isPending}
      error={update.error}
      onClose={onClose}
      onSubmit={() => update.mutate({ did, password })}
      title={t.accounts.setPasswordTitle(handle)}
    >
      <p>{t.accounts.setPasswordText}</p>
      <NewPasswordField onChange={setPassword} username={handle} value={password} />
    </FormDialog>
  )
}
