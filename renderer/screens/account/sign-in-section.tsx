import { Lock, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { Switch } from '../../ui/switch.tsx'
import { CodeForm } from './code-form.tsx'
import { PasswordDialog } from './password-dialog.tsx'

export function SignInSection() {
  const { email, emailConfirmed, emailAuthFactor = false } = useSession()
  const [open, setOpen] = useState<'factor' | 'password'>()
  const factorRequest = useProcedure(com.core.server.requestEmailUpdate)
  const passwordRequest = useProcedure(com.core.server.requestPasswordReset)
  const close = () => setOpen(undefined)
  const changeFactor = () => {
    factorRequest.mutate(undefined)
    setOpen('factor')
  }
  const changePassword = () => {
    if (email) passwordRequest.mutate({ email })
    setOpen('password')
  }
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
              onChange={changeFactor}
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
            <Button aria-label={t.account.changePassword} disabled={!email} onClick={changePassword}>
              {t.account.change}
            </Button>
          }
          detail={email ? t.account.passwordDetail : t.account.passwordNeeds}
          icon={<Lock aria-hidden size={20} strokeWidth={1.75} />}
          title={t.account.password}
        />
      </Panel>
      {open === 'factor' && email && (
        <FactorDialog email={email} codeRequest={factorRequest} onClose={close} on={!emailAuthFactor} />
      )}
      {open === 'password' && email && (
        <PasswordDialog email={email} codeRequest={passwordRequest} onClose={close} />
      )}
    </Section>
  )
}

interface FactorDialogProps {
  readonly email: string
  readonly on: boolean
  readonly codeRequest: ReturnType<typeof useProcedure<typeof com.core.server.requestEmailUpdate.main>>
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
    <Dialog onClose={onClose} title={on ? t.account.factorOnTitle : t.account.factorOffTitle}>
      <CodeForm
        {...update}
        action={on ? t.account.factorOn : t.account.factorOff}
        codeRequest={codeRequest}
        email={email}
        onResend={(callbacks) => codeRequest.mutate(undefined, callbacks)}
      />
    </Dialog>
  )
}
