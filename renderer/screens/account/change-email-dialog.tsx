import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
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
  const submit = () => {
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
          onSubmit={(field) => update.mutate({ email, token: field('code').trim() })}
        />
      </Dialog>
    )
  }
  return (
    <FormDialog
      action={current === undefined ? t.account.add : t.ui.continue}
      busy={isBusy}
      error={update.error ?? request.error}
      onClose={onClose}
      onSubmit={submit}
      title={title}
    >
      <Field
        autoComplete="email"
        hint={current === undefined ? undefined : t.account.changeNote}
        label={t.account.newEmail}
        onChange={(event) => setEmail(event.target.value)}
        required
        type="email"
        value={email}
      />
    </FormDialog>
  )
}
