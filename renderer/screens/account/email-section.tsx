import { Mail } from 'lucide-react'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useSession } from '../../api/sessions.ts'
import { newEmail } from '../../parts/account/new-email.ts'
import { isWrongPassword, OwnPasswordField } from '../../parts/account/proof-fields.tsx'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { DialogButton, FormDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import type { Fields } from '../../ui/form.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { Badge } from '../../ui/states.tsx'
import { CodeDialog, type CodeRequest, useCodeRequest } from './code-dialog.tsx'

export function EmailSection() {
  const { email, emailConfirmed } = useSession()
  const codeRequest = useCodeRequest(com.core.server.requestEmailConfirmation)
  return (
    <Section lead={t.account.emailLead} title={t.ui.email}>
      <Panel>
        <Row
          action={
            <>
              {email && !emailConfirmed && (
                <DialogButton
                  dialog={(close) => <ConfirmEmail codeRequest={codeRequest} email={email} onClose={close} />}
                  onClick={() => codeRequest.send()}
                  variant="primary"
                >
                  {t.account.confirm}
                </DialogButton>
              )}
              <DialogButton
                aria-label={email ? t.account.changeEmail : undefined}
                dialog={(close) => <ChangeEmailDialog onClose={close} />}
              >
                {email ? t.account.change : t.account.add}
              </DialogButton>
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
    </Section>
  )
}

interface ConfirmEmailProps {
  readonly email: string
  readonly codeRequest: CodeRequest
  onClose(): void
}

function ConfirmEmail({ email, codeRequest, onClose }: ConfirmEmailProps) {
  const confirm = useDialogAction(com.core.server.confirmEmail, {
    invalidates: [com.core.server.getSession],
    input: (field) => ({ email, token: field('code').trim() }),
    done: t.account.confirmedToast,
    onClose,
  })
  return (
    <CodeDialog
      {...confirm}
      action={t.account.confirm}
      codeRequest={codeRequest}
      email={email}
      isForOwner
      title={t.account.confirmTitle}
    />
  )
}

/** Asks for the new address, then for a code sent to the current one. If that is not confirmed, the password replaces the code. */
function ChangeEmailDialog({ onClose }: { onClose(): void }) {
  const { email: current, emailConfirmed = false } = useSession()
  /** The new address, once a code for it was sent. */
  const [email, setEmail] = useState<string>()
  const codeRequest = useCodeRequest(com.core.server.requestEmailUpdate)
  const update = useDialogAction(com.core.server.updateEmail, {
    invalidates: [com.core.server.getSession, com.core.server.listSecurityChanges],
    input: (field) =>
      emailConfirmed
        ? { email: email ?? field('email'), token: field('code').trim() }
        : { email: field('email'), password: field('password') },
    done: t.account.changedToast,
    onClose,
  })
  const submit = (field: Fields) => {
    if (emailConfirmed) codeRequest.send({ onSuccess: () => setEmail(field('email')) })
    else update.onSubmit(field)
  }
  const title = current === undefined ? t.account.addTitle : t.account.changeTitle
  if (current !== undefined && email !== undefined) {
    return (
      <CodeDialog
        {...update}
        action={t.account.change}
        codeRequest={codeRequest}
        email={current}
        title={title}
      />
    )
  }
  return (
    <FormDialog
      {...update}
      action={current === undefined ? t.account.add : emailConfirmed ? t.ui.continue : t.account.change}
      busy={codeRequest.isPending || update.busy}
      error={isWrongPassword(update.error) ? null : (update.error ?? codeRequest.error)}
      onSubmit={submit}
      title={title}
    >
      <Field
        autoComplete="email"
        hint={current !== undefined && t.account.changeNote}
        label={t.account.newEmail}
        name="email"
        required
        {...newEmail}
      />
      {!emailConfirmed && <OwnPasswordField error={update.error} />}
    </FormDialog>
  )
}
