import { type FormEvent, type ReactNode, useState } from 'react'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { CodeField } from '../../ui/field.tsx'
import { Stack } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
import { OutboxHint } from '../outbox/outbox-hint.tsx'

interface CodeFormProps {
  /** Where the code goes. */
  readonly email: string
  /** The call that has the code mailed, made when the dialog was opened. */
  readonly mailing: { readonly isPending: boolean; readonly error: Error | null }
  readonly action: string
  readonly danger?: boolean
  /** Whether the code is being used. */
  readonly busy: boolean
  /** Why it could not be. */
  readonly error: Error | string | null
  /** What is asked for beside the code. */
  readonly children?: ReactNode
  onCode(code: string): void
  /** Has another code mailed. */
  onAgain(told: { onSuccess(): void }): void
}

/** What a mailed code confirms: the code, and what else is needed. */
export function CodeForm({
  email,
  mailing,
  action,
  danger,
  busy,
  error,
  children,
  onCode,
  onAgain,
}: CodeFormProps) {
  const [code, setCode] = useState('')
  const [isAgain, setAgain] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!busy) onCode(code.trim())
  }
  const sent = isAgain ? t.mail.sentAgain : t.mail.sent(email)
  return (
    <form onSubmit={submit}>
      <Stack>
        {!mailing.error && <p role="status">{mailing.isPending ? t.mail.sending(email) : sent}</p>}
        <CodeField
          autoFocus
          hint={<OutboxHint />}
          onChange={(event) => setCode(event.target.value)}
          value={code}
        />
        {children}
        <FormError error={error ?? mailing.error} />
      </Stack>
      <DialogActions>
        <Button
          busy={mailing.isPending}
          look="quiet"
          onClick={() => onAgain({ onSuccess: () => setAgain(true) })}
        >
          {t.mail.again}
        </Button>
        <Button busy={busy} look={danger ? 'danger' : 'primary'} type="submit">
          {action}
        </Button>
      </DialogActions>
    </form>
  )
}
