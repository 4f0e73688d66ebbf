import { Mail } from 'lucide-react'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { Badge } from '../../ui/states.tsx'
import { ChangeEmailDialog } from './change-email-dialog.tsx'
import { ConfirmEmailDialog } from './confirm-email-dialog.tsx'

export function EmailSection() {
  const { email, emailConfirmed } = useSession()
  const [open, setOpen] = useState<'change' | 'confirm'>()
  const codeRequest = useProcedure(com.core.server.requestEmailConfirmation)
  const confirm = () => {
    codeRequest.mutate(undefined)
    setOpen('confirm')
  }
  const close = () => setOpen(undefined)
  return (
    <Section lead={t.account.emailLead} title={t.account.email}>
      <Panel>
        <Row
          action={
            <>
              {email && !emailConfirmed && (
                <Button variant="primary" onClick={confirm}>
                  {t.account.confirm}
                </Button>
              )}
              <Button
                aria-label={email ? t.account.changeEmail : undefined}
                onClick={() => setOpen('change')}
              >
                {email ? t.account.change : t.account.add}
              </Button>
            </>
          }
          detail={email ? undefined : t.account.noEmailDetail}
          icon={<Mail aria-hidden size={20} strokeWidth={1.75} />}
          title={
            <>
              {email ?? t.account.noEmail}
              {email && (
                <Badge variant={emailConfirmed ? 'good' : 'warn'}>
                  {emailConfirmed ? t.account.confirmed : t.account.unconfirmed}
                </Badge>
              )}
            </>
          }
        />
      </Panel>
      {open === 'change' && <ChangeEmailDialog onClose={close} />}
      {open === 'confirm' && email && (
        <ConfirmEmailDialog email={email} codeRequest={codeRequest} onClose={close} />
      )}
    </Section>
  )
}
