import { type FormEvent, useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Stack } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { CodeForm } from './code-form.tsx'

/** Asks for the new address, then for a code sent to the current one if that is confirmed. */
export function ChangeEmailDialog({ onClose }: { onClose(): void }) {
  const { email: current } = useSession()
  const [email, setEmail] = useState('')
  const update = useProcedure(com.core.server.updateEmail, [com.core.server.getSession], {
    onSuccess: () => {
      toast(t.account.changedToast)
      onClose()
    },
  })
  const request = useProcedure(com.core.server.requestEmailUpdate, [], {
    onSuccess: ({ tokenRequired }) => {
      if (!tokenRequired) update.mutate({ email })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (current === undefined) update.mutate({ email })
    else request.mutate(undefined)
  }
  const isBusy = request.isPending || update.isPending
  const title = current === undefined ? t.account.addTitle : t.account.changeTitle
  if (current !== undefined && request.data?.tokenRequired) {
    return (
      <Dialog onClose={onClose} title={title}>
        <CodeForm
          action={t.account.change}
          busy={update.isPending}
          email={current}
          error={update.error}
          codeRequest={request}
          onResend={(callbacks) => request.mutate(undefined, callbacks)}
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
            hint={current === undefined ? undefined : t.account.changeNote}
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
            {current === undefined ? t.account.add : t.ui.continue}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
