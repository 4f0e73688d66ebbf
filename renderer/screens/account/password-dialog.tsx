import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { call } from '../../api/client.ts'
import type { useAct } from '../../api/hooks.ts'
import { removeSession, useSession } from '../../api/sessions.ts'
import { signIn } from '../../api/sign-in.ts'
import { entrances } from '../../entrances.ts'
import { t } from '../../strings/en.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { PasswordField, Username } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { PasswordStrength } from '../password-strength.tsx'
import { CodeForm } from './code-form.tsx'

interface PasswordDialogProps {
  readonly email: string
  readonly mailing: ReturnType<typeof useAct<typeof com.core.server.requestPasswordReset.main>>
  onClose(): void
}

/** A new password, which ends every session; then signs in again with it. */
export function PasswordDialog({ email, mailing, onClose }: PasswordDialogProps) {
  const { did, handle } = useSession()
  const [, navigate] = useLocation()
  const [password, setPassword] = useState('')
  const reset = useMutation({
    mutationFn: (token: string) => call(com.core.server.resetPassword, { body: { token, password } }),
    onSuccess: async () => {
      try {
        await signIn({ identifier: did, password })
        toast(t.account.passwordToast)
        onClose()
      } catch {
        // With a second factor, signing in takes a code: that is for the sign-in screen.
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
        mailing={mailing}
        onAgain={(told) => mailing.mutate({ email }, told)}
        onCode={(token) => reset.mutate(token)}
      >
        <Username value={handle} />
        <PasswordField
          autoComplete="new-password"
          hint={<PasswordStrength password={password} />}
          label={t.ui.newPassword}
          maxLength={256}
          minLength={8}
          onChange={(event) => setPassword(event.target.value)}
          required
          value={password}
        />
      </CodeForm>
    </Dialog>
  )
}
