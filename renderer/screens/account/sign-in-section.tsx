import { Lock, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useSession } from '../../api/sessions.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { Switch } from '../../ui/switch.tsx'
import { CodeDialog, type CodeRequest, useCodeRequest } from './code-dialog.tsx'
import { PasswordDialog } from './password-dialog.tsx'

export function SignInSection() {
  const { email, emailConfirmed, emailAuthFactor = false } = useSession()
  const [isChanging, setChanging] = useState(false)
  const factorRequest = useCodeRequest(com.core.server.requestEmailUpdate)
  const passwordRequest = useCodeRequest(com.core.server.requestPasswordReset, { email: email ?? '' })
  return (
    <Section title={t.account.signIn}>
      <Panel>
        <Row
          action={
            <Switch
              checked={emailAuthFactor}
              disabled={!emailConfirmed}
              label={t.account.factor}
              labelHidden
              onChange={() => {
                factorRequest.send()
                setChanging(true)
              }}
            />
          }
          detail={
            emailConfirmed ? t.account.factorDetail : `${t.account.factorDetail} ${t.account.factorNeeds}`
          }
          icon={<ShieldCheck aria-hidden size={20} strokeWidth={1.75} />}
          title={t.account.factor}
        />
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
      {isChanging && email && (
        <FactorDialog
          codeRequest={factorRequest}
          email={email}
          on={!emailAuthFactor}
          onClose={() => setChanging(false)}
        />
      )}
    </Section>
  )
}

interface FactorDialogProps {
  readonly email: string
  readonly on: boolean
  readonly codeRequest: CodeRequest
  onClose(): void
}

function FactorDialog({ email, on, codeRequest, onClose }: FactorDialogProps) {
  const update = useDialogAction(com.core.server.updateEmail, {
    invalidates: [com.core.server.getSession],
    input: (field) => ({ email, emailAuthFactor: on, token: field('code').trim() }),
    done: on ? t.account.factorOnToast : t.account.factorOffToast,
    onClose,
  })
  return (
    <CodeDialog
      {...update}
      action={on ? t.account.factorOn : t.account.factorOff}
      codeRequest={codeRequest}
      email={email}
      title={on ? t.account.factorOnTitle : t.account.factorOffTitle}
    />
  )
}
