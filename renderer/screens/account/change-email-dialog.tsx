import { type FormEvent, useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useAct } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Stack } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { CodeForm } from './code-form.tsx'

/** The new address; then, when the present one is confirmed, a code that was mailed to the present one. */
export function ChangeEmailDialog({ onClose }: { onClose(): void }) {
  const { email: present } = useSession()
  const [email, setEmail] = useState('')
  const update = useAct(com.core.server.updateEmail, [com.core.server.getSession], {
    onSuccess: () => {
      toast(t.account.changedToast)
      onClose()
    },
  })
  const request = useAct(com.core.server.requestEmailUpdate, [], {
    onSuccess: ({ tokenRequired }) => {
      if (!tokenRequired) update.mutate({ email })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (present === undefined) update.mutate({ email })
    else request.mutate(undefined)
  }
  const isBusy = request.isPending || update.isPending
  const title = present === undefined ? t.account.addTitle : t.account.changeTitle
  if (present !== undefined && request.data?.tokenRequired) {
    return (
      <Dialog onClose={onClose} title={title}>
        <CodeForm
          action={t.account.change}
          busy={update.isPending}
          email={present}
          error={update.error}
          mailing={request}
          onAgain={(told) => request.mutate(undefined, told)}
          onCode={(token) => update.mutate({ email, token })}
        />
      </Dialog>
    )
  }
  return (
    <Dialog onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack>
          <Field
            autoComplete="email"
            hint={present === undefined ? undefined : t.account.changeNote}
            label={t.account.newEmail}
            onChange={(event) => setEmail(event.target.value)}
            required
            type="email"
            value={email}
          />
          <FormError error={update.error ?? request.error} />
        </Stack>
        <DialogActions>
          <Button onClick={onClose}>{t.ui.cancel}</Button>
          <Button busy={isBusy} look="primary" type="submit">
            {present === undefined ? t.account.add : t.ui.continue}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
