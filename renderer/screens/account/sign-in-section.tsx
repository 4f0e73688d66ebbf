import { Lock } from 'lucide-react'
import { com } from '../../../lexicons/generated/index.ts'
import { useSession } from '../../api/sessions.ts'
import { NewPasswordField } from '../../parts/account/new-password-field.tsx'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { DialogButton } from '../../ui/dialog.tsx'
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
          title={t.ui.password}
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

/** Sets a new password, which ends all other sessions. */
function PasswordDialog({ email, codeRequest, onClose }: PasswordDialogProps) {
  const { handle } = useSession()
  const change = useDialogAction(com.core.server.resetPassword, {
    invalidates: [com.core.server.listSecurityChanges],
    input: (field) => ({ token: field('code').trim(), password: field('newPassword') }),
    done: t.account.passwordToast,
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
