import { useMutation } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { call } from '../../api/client.ts'
import type { useProcedure } from '../../api/hooks.ts'
import { removeSession, useSession } from '../../api/sessions.ts'
import { signIn } from '../../api/sign-in.ts'
import { entrances } from '../../entrances.ts'
import { NewPasswordField } from '../../parts/new-password-field.tsx'
import { t } from '../../strings/en.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { CodeForm } from './code-form.tsx'

interface PasswordDialogProps {
  readonly email: string
  readonly codeRequest: ReturnType<typeof useProcedure<typeof com.core.server.requestPasswordReset.main>>
  onClose(): void
}

/** Sets a new password, which ends all sessions, then signs in again. */
export function PasswordDialog({ email, codeRequest, onClose }: PasswordDialogProps) {
  const { did, handle } = useSession()
  const [, navigate] = useLocation()
  const reset = useMutation({
    mutationFn: (body: { readonly token: string; readonly password: string }) =>
      call(com.core.server.resetPassword, { body }),
    onSuccess: async (_, { password }) => {
      try {
        await signIn({ identifier: did, password })
        toast(t.account.passwordToast)
        onClose()
      } catch {
        // With a second factor, sign-in needs a code: the sign-in screen asks for it.
        removeSession(did)
        navigate(entrances.signIn)
        toast(t.reset.done)
      }
    },
  })
  return (
    <Dialog onClose={onClose} title={t.account.passwordTitle}>
      <CodeForm
        action={t.account.changePassword}
        busy={reset.isPending}
        email={email}
        error={reset.error}
        codeRequest={codeRequest}
        onResend={(callbacks) => codeRequest.mutate({ email }, callbacks)}
        onSubmit={(field) => reset.mutate({ token: field('code').trim(), password: field('newPassword') })}
      >
        <NewPasswordField username={handle} />
      </CodeForm>
    </Dialog>
  )
}
