import { useState } from 'react'
import { useLocation } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { errorName } from '../../api/errors.ts'
import { useProcedure } from '../../api/hooks.ts'
import { removeSession, useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, PasswordField, Username } from '../../ui/field.tsx'
import { Stack } from '../../ui/page.tsx'
import { FormError, Notice } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { CodeForm } from './code-form.tsx'

interface DeleteDialogProps {
  readonly email: string
  onClose(): void
}

/** Deletes the account. Needs the typed handle, the password and an emailed code. */
export function DeleteDialog({ email, onClose }: DeleteDialogProps) {
  const { did, handle } = useSession()
  const [, navigate] = useLocation()
  const [isMismatch, setMismatch] = useState(false)
  const codeRequest = useProcedure(com.core.server.requestAccountDelete)
  const remove = useProcedure(com.core.server.deleteAccount, [], {
    onSuccess: () => {
      navigate('/')
      removeSession(did)
      toast(t.account.removedToast(handle))
    },
  })
  return (
    <Dialog onClose={onClose} title={t.account.removeTitle}>
      <Stack>
        <Notice variant="danger">{t.account.removeText(handle)}</Notice>
        {codeRequest.isIdle || (codeRequest.error && !codeRequest.data) ? (
          <>
            <FormError error={codeRequest.error} />
            <DialogActions>
              <Button onClick={onClose}>{t.ui.cancel}</Button>
              <Button
                busy={codeRequest.isPending}
                variant="danger"
                onClick={() => codeRequest.mutate(undefined)}
              >
                {t.account.removeSend}
              </Button>
            </DialogActions>
          </>
        ) : (
          <CodeForm
            action={t.account.removeSubmit}
            busy={remove.isPending}
            danger
            email={email}
            error={
              errorName(remove.error) === 'AuthenticationRequired' ? t.account.wrongPassword : remove.error
            }
            codeRequest={codeRequest}
            onResend={(callbacks) => codeRequest.mutate(undefined, callbacks)}
            onSubmit={(field) => {
              const isSame = field('handle').trim().toLowerCase() === handle
              setMismatch(!isSame)
              if (isSame) remove.mutate({ did, password: field('password'), token: field('code').trim() })
            }}
          >
            <Username value={handle} />
            <PasswordField label={t.account.removePassword} name="password" required />
            <Field
              autoCapitalize="none"
              autoComplete="off"
              error={isMismatch ? t.account.removeMismatch : undefined}
              label={t.account.removeHandle(handle)}
              name="handle"
              required
              spellCheck={false}
            />
          </CodeForm>
        )}
      </Stack>
    </Dialog>
  )
}
