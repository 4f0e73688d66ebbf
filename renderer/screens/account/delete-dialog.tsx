import { useState } from 'react'
import { useLocation } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { errorName } from '../../api/call-errors.ts'
import { removeSession, useSession } from '../../api/sessions.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field, PasswordField, Username } from '../../ui/field.tsx'
import { Notice } from '../../ui/states.tsx'
import { CodeDialog, useCodeRequest } from './code-dialog.tsx'

interface DeleteDialogProps {
  readonly email: string
  onClose(): void
}

/** Deletes the account. Needs the typed handle, the password and an emailed code. */
export function DeleteDialog({ email, onClose }: DeleteDialogProps) {
  const { did, handle } = useSession()
  const [, navigate] = useLocation()
  const [isRequested, setRequested] = useState(false)
  const [isMismatch, setMismatch] = useState(false)
  const codeRequest = useCodeRequest(com.core.server.requestAccountDelete)
  const remove = useDialogAction(com.core.server.deleteAccount, {
    input: (field) => ({ did, password: field('password'), token: field('code').trim() }),
    done: t.account.removedToast(handle),
    onDone: () => {
      navigate('/')
      removeSession(did)
    },
    onClose,
  })
  const lead = <Notice variant="danger">{t.account.removeText(handle)}</Notice>
  if (!isRequested) {
    return (
      <FormDialog
        action={t.ui.sendCode}
        busy={codeRequest.isPending}
        error={codeRequest.error}
        onClose={onClose}
        onSubmit={() => codeRequest.send({ onSuccess: () => setRequested(true) })}
        title={t.account.removeTitle}
        variant="danger"
      >
        {lead}
      </FormDialog>
    )
  }
  return (
    <CodeDialog
      {...remove}
      action={t.account.removeSubmit}
      codeRequest={codeRequest}
      email={email}
      error={errorName(remove.error) === 'AuthenticationRequired' ? t.identity.wrongPassword : remove.error}
      lead={lead}
      onSubmit={(field) => {
        const isSame = field('handle').trim().toLowerCase() === handle
        setMismatch(!isSame)
        if (isSame) remove.onSubmit(field)
      }}
      title={t.account.removeTitle}
      variant="danger"
    >
      <Username value={handle} />
      <PasswordField label={t.identity.password} name="password" required />
      <Field
        exact
        error={isMismatch ? t.account.removeMismatch : undefined}
        label={t.account.removeHandle(handle)}
        name="handle"
        required
      />
    </CodeDialog>
  )
}
