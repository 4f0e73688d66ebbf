import { useState } from 'react'
import { useLocation } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { errorName } from '../../api/call-errors.ts'
import { callAs } from '../../api/client.ts'
import { codeForPassword, useNeedsMailedCode } from '../../api/codes.ts'
import { removeSession, useSession } from '../../api/sessions.ts'
import { PasswordDialog } from '../../parts/account/password-dialog.tsx'
import { type DialogAction, useDialogWork } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field, PasswordField, Username } from '../../ui/field.tsx'
import type { Fields } from '../../ui/form.tsx'
import { Notice } from '../../ui/states.tsx'
import { CodeDialog, useCodeRequest } from './code-dialog.tsx'

interface DialogProps {
  onClose(): void
}

/** Deletes the account. Needs the typed handle, the password, and an emailed code where that protects the account. */
export function DeleteDialog({ onClose }: DialogProps) {
  // Kept while the dialog is open: the confirmation of the address must not replace its fields.
  const needsMail = useNeedsMailedCode()
  const [isByCode] = useState(needsMail)
  return isByCode ? <DeleteByCode onClose={onClose} /> : <DeleteByPassword onClose={onClose} />
}

function DeleteByPassword({ onClose }: DialogProps) {
  const { did } = useSession()
  const remove = useDeletion((field) => codeForPassword(did, 'deleteAccount', field), onClose)
  return (
    <PasswordDialog
      {...remove.action}
      action={t.account.removeSubmit}
      after={<HandleField isMismatch={remove.isMismatch} />}
      title={t.account.removeTitle}
      variant="danger"
    >
      <Consequences />
    </PasswordDialog>
  )
}

function DeleteByCode({ onClose }: DialogProps) {
  const { email = '', handle } = useSession()
  const [isRequested, setRequested] = useState(false)
  const codeRequest = useCodeRequest(com.core.server.requestAccountDelete)
  const remove = useDeletion(async (field) => field('code').trim(), onClose)
  const { error } = remove.action
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
        <Consequences />
      </FormDialog>
    )
  }
  return (
    <CodeDialog
      {...remove.action}
      action={t.account.removeSubmit}
      codeRequest={codeRequest}
      email={email}
      error={errorName(error) === 'AuthenticationRequired' ? t.identity.wrongPassword : error}
      lead={<Consequences />}
      title={t.account.removeTitle}
      variant="danger"
    >
      <Username value={handle} />
      <PasswordField label={t.identity.password} name="password" required />
      <HandleField isMismatch={remove.isMismatch} />
    </CodeDialog>
  )
}

function Consequences() {
  return <Notice variant="danger">{t.account.removeText(useSession().handle)}</Notice>
}

function HandleField({ isMismatch }: { readonly isMismatch: boolean }) {
  const { handle } = useSession()
  return (
    <Field
      exact
      error={isMismatch ? t.account.removeMismatch : undefined}
      label={t.account.removeHandle(handle)}
      name="handle"
      required
    />
  )
}

/** Deletes the account once the typed handle is right. @param tokenOf returns the code */
function useDeletion(
  tokenOf: (field: Fields) => Promise<string>,
  onClose: () => void,
): { readonly action: DialogAction; readonly isMismatch: boolean } {
  const { did, handle } = useSession()
  const [, navigate] = useLocation()
  const [isMismatch, setMismatch] = useState(false)
  const remove = useDialogWork({
    run: async (field) => {
      const body = { did, password: field('password'), token: await tokenOf(field) }
      return callAs(did, com.core.server.deleteAccount, { body })
    },
    done: t.account.removedToast(handle),
    onDone: () => {
      navigate('/')
      removeSession(did)
    },
    onClose,
  })
  const onSubmit = (field: Fields) => {
    const isSame = field('handle').trim().toLowerCase() === handle
    setMismatch(!isSame)
    if (isSame) remove.onSubmit(field)
  }
  return { action: { ...remove, onSubmit }, isMismatch }
}
