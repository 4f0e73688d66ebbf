import { type FormEvent, useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Stack } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { NewPasswordField } from '../new-password-field.tsx'
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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    update.mutate({ did, password })
  }
  return (
    <Dialog onClose={onClose} title={t.accounts.setPasswordTitle(handle)}>
      <form onSubmit={submit}>
        <Stack>
          <p>{t.accounts.setPasswordText}</p>
          <NewPasswordField onChange={setPassword} username={handle} value={password} />
          <FormError error={update.error} />
        </Stack>
        <DialogActions>
          <Button onClick={onClose}>{t.ui.cancel}</Button>
          <Button busy={update.isPending} look="primary" type="submit">
            {t.accounts.setPasswordSubmit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
