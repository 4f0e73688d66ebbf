import { Lock } from 'lucide-react'
import { useLocation } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { call } from '../../api/client.ts'
import { removeSession, useSession } from '../../api/sessions.ts'
import { signIn } from '../../api/sign-in.ts'
import { entrances } from '../../entrances.ts'
import { useDialogWork } from '../../parts/dialog-action.ts'
import { NewPasswordField } from '../../parts/new-password-field.tsx'
import { t } from '../../strings/en.ts'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { CodeDialog, type CodeRequest, useCodeRequest } from './code-dialog.tsx'

export function SignInSection() {
  const { email } = useSession()
  const passwordRequest = useCodeRequest(com.core.server.requestPasswordReset, { email: email ?? '' })
  return (
    <Section title={t.account.signIn}>
      <Panel>
        <Row
          action={
            <DialogButton
              aria-label={t.account.changePassword}
              dialog={(close) => (
                <PasswordDialog codeRequest={passwordRequest} email={email ?? ''} onClose={close} />
              )}
              disabled={!email}
              onClick={() => passwordRequest.send()}
            >
              {t.account.change}
            </DialogButton>
          }
          detail={email ? t.account.passwordDetail : t.account.passwordNeeds}
          icon={<Lock aria-hidden size={20} strokeWidth={1.75} />}
          title={t.account.password}
        />
      </Panel>
    </Section>
  )
}

interface PasswordDialogProps {
  readonly email: string
  readonly codeRequest: CodeRequest
  onClose(): void
}

/** Sets a new password, which ends all sessions, then signs in again. */
function PasswordDialog({ email, codeRequest, onClose }: PasswordDialogProps) {
  const { did, handle } = useSession()
  const [, navigate] = useLocation()
  const change = useDialogWork({
    run: async (field) => {
      const password = field('newPassword')
      await call(com.core.server.resetPassword, { body: { token: field('code').trim(), password } })
      const signedIn = signIn({ identifier: did, password })
      return signedIn.then(
        () => true,
        () => false,
      )
    },
    done: (_, isSignedIn) => (isSignedIn ? t.account.passwordToast : t.reset.done),
    onDone: (isSignedIn) => {
      if (isSignedIn) return
      // With a second factor, sign-in needs a code: the sign-in screen asks for it.
      removeSession(did)
      navigate(entrances.signIn)
    },
    onClose,
  })
  return (
    <CodeDialog
      {...change}
      action={t.account.changePassword}
      codeRequest={codeRequest}
      email={email}
      title={t.account.passwordTitle}
    >
      <NewPasswordField username={handle} />
    </CodeDialog>
  )
}
