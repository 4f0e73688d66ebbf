import { Mail } from 'lucide-react'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { callAs } from '../../api/client.ts'
import { useSession } from '../../api/sessions.ts'
import { useDialogWork } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Row } from '../../ui/page.tsx'
import { Switch } from '../../ui/switch.tsx'
import { CodeDialog, type CodeRequest, useCodeRequest } from './code-dialog.tsx'

const { getSession } = com.core.server

/** Turns the emailed code of a sign-in on and off. */
export function EmailFactor() {
  const { email, emailConfirmed, emailAuthFactor = false } = useSession()
  const [isChanging, setChanging] = useState(false)
  const codeRequest = useCodeRequest(com.core.server.requestEmailUpdate)
  return (
    <>
      <Row
        action={
          <Switch
            checked={emailAuthFactor}
            disabled={!emailConfirmed}
            label={t.account.factor}
            labelHidden
            onChange={() => {
              codeRequest.send()
              setChanging(true)
            }}
          />
        }
        detail={
          emailConfirmed ? t.account.factorDetail : `${t.account.factorDetail} ${t.account.factorNeeds}`
        }
        icon={<Mail aria-hidden size={20} strokeWidth={1.75} />}
        title={t.account.factor}
      />
      {isChanging && email && (
        <FactorDialog
          codeRequest={codeRequest}
          email={email}
          on={!emailAuthFactor}
          onClose={() => setChanging(false)}
        />
      )}
    </>
  )
}

interface FactorDialogProps {
  readonly email: string
  readonly on: boolean
  readonly codeRequest: CodeRequest
  onClose(): void
}

function FactorDialog({ email, on, codeRequest, onClose }: FactorDialogProps) {
  const update = useDialogWork({
    // The call carries the address, too. It is read now: another client may have changed it.
    run: async (field, did) => {
      const session = await callAs(did, getSession, {})
      const body = { email: session.email ?? email, emailAuthFactor: on, token: field('code').trim() }
      return callAs(did, com.core.server.updateEmail, { body })
    },
    invalidates: [getSession, com.core.server.listSecurityChanges],
    done: on ? t.account.factorOnToast : t.account.factorOffToast,
    onClose,
  })
  return (
    <CodeDialog
      {...update}
      action={on ? t.ui.turnOn : t.account.factorOff}
      codeRequest={codeRequest}
      email={email}
      title={on ? t.account.factorOnTitle : t.account.factorOffTitle}
    />
  )
}
