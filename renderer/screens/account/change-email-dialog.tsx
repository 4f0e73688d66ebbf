import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useSession } from '../../api/sessions.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import type { Fields } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { CodeDialog, useCodeRequest } from './code-dialog.tsx'

/** Asks for the new address, then for a code sent to the current one if that is confirmed. */
export function ChangeEmailDialog({ onClose }: { onClose(): void }) {
  const { email: current } = useSession()
  /** The new address, once a code for it was sent. */
  const [email, setEmail] = useState<string>()
  const codeRequest = useCodeRequest(com.core.server.requestEmailUpdate)
  const update = useDialogAction(com.core.server.updateEmail, {
    invalidates: [com.core.server.getSession],
    input: (field) => ({ email: email ?? field('email'), token: field('code').trim() || undefined }),
    done: t.account.changedToast,
    onClose,
  })
  const submit = (field: Fields) => {
    if (current === undefined) return update.onSubmit(field)
    codeRequest.send({
      onSuccess: ({ tokenRequired }) => (tokenRequired ? setEmail(field('email')) : update.onSubmit(field)),
    })
  }
  const title = current === undefined ? t.account.addTitle : t.account.changeTitle
  if (current !== undefined && email !== undefined) {
    return (
      <CodeDialog
        {...update}
        action={t.account.change}
        codeRequest={codeRequest}
        email={current}
        title={title}
      />
    )
  }
  return (
    <FormDialog
      {...update}
      action={current === undefined ? t.account.add : t.ui.continue}
      busy={codeRequest.isPending || update.busy}
      error={update.error ?? codeRequest.error}
      onSubmit={submit}
      title={title}
    >
      <Field
        autoComplete="email"
        hint={current !== undefined && t.account.changeNote}
        label={t.account.newEmail}
        name="email"
        required
        type="email"
      />
    </FormDialog>
  )
}
