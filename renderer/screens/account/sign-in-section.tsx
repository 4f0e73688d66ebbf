import { Lock } from 'lucide-react'
import { com } from '../../../lexicons/generated/index.ts'
import { callAs } from '../../api/client.ts'
import { codeForPassword, useNeedsMailedCode } from '../../api/codes.ts'
import { useSession } from '../../api/sessions.ts'
import { NewPasswordField } from '../../parts/account/new-password-field.tsx'
import { PasswordDialog } from '../../parts/account/password-dialog.tsx'
import { useDialogAction, useDialogWork } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { DialogButton } from '../../ui/dialog.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { CodeDialog, type CodeRequest, useCodeRequest } from './code-dialog.tsx'

export function SignInSection() {
  const { email = '' } = useSession()
  const needsMail = useNeedsMailedCode()
  const codeRequest = useCodeRequest(com.core.server.requestPasswordReset, { email })
  return (
    <Section title={t.account.signIn}>
      <Panel>
        <Row
          action={
            <DialogButton
              aria-label={t.account.changePassword}
              dialog={(close) =>
                needsMail ? (
                  <ChangeByCode codeRequest={codeRequest} email={email} onClose={close} />
                ) : (
                  <ChangeByPassword onClose={close} />
                )
              }
              disabled={needsMail === undefined}
              onClick={() => needsMail && codeRequest.send()}
            >
              {t.account.change}
            </DialogButton>
          }
          detail={t.account.passwordDetail}
          icon={<Lock aria-hidden size={20} strokeWidth={1.75} />}
          title={t.ui.password}
        />
      </Panel>
    </Section>
  )
}

const { listSecurityChanges, resetPassword } = com.core.server

/** Sets a new password, which ends all other sessions. */
function ChangeByPassword({ onClose }: { onClose(): void }) {
  const { handle } = useSession()
  const change = useDialogWork({
    run: async (field, did) => {
      const token = await codeForPassword(did, 'resetPassword', field)
      return callAs(did, resetPassword, { body: { token, password: field('newPassword') } })
    },
    invalidates: [listSecurityChanges],
    done: t.account.passwordToast,
    onClose,
  })
  return (
    <PasswordDialog
      {...change}
      action={t.account.changePassword}
      after={<NewPasswordField username={handle} />}
      title={t.account.passwordTitle}
    />
  )
}

interface ChangeByCodeProps {
  readonly email: string
  readonly codeRequest: CodeRequest
  onClose(): void
}

/** As {@link ChangeByPassword}, with a mailed code. */
function ChangeByCode({ email, codeRequest, onClose }: ChangeByCodeProps) {
  const { handle } = useSession()
  const change = useDialogAction(resetPassword, {
    invalidates: [listSecurityChanges],
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
