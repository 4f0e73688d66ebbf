import { type ReactNode, useState } from 'react'
import { OutboxHint } from '../../parts/outbox-hint.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { CodeField } from '../../ui/field.tsx'
import { type Fields, Form } from '../../ui/form.tsx'
import { Stack } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'

interface CodeFormProps {
  /** The address that the code is sent to. */
  readonly email: string
  /** The request for the code, made when the dialog opened. */
  readonly codeRequest: { readonly isPending: boolean; readonly error: Error | null }
  readonly action: string
  readonly danger?: boolean
  /** Whether the code is being submitted. */
  readonly busy: boolean
  /** The error of submitting it. */
  readonly error: Error | string | null
  /** Further fields. */
  readonly children?: ReactNode
  /** The code is the field `code`. */
  onSubmit(field: Fields): void
  /** Requests a new code. */
  onResend(callbacks: { onSuccess(): void }): void
}

/** A form that confirms an action with an emailed code. */
export function CodeForm(props: CodeFormProps) {
  const { email, codeRequest, action, danger, busy, error, children, onSubmit, onResend } = props
  const [isResent, setResent] = useState(false)
  const sent = isResent ? t.mail.sentAgain : t.mail.sent(email)
  return (
    <Form busy={busy} onSubmit={onSubmit}>
      <Stack>
        {!codeRequest.error && <p role="status">{codeRequest.isPending ? t.mail.sending(email) : sent}</p>}
        <CodeField autoFocus hint={<OutboxHint />} name="code" />
        {children}
        <FormError error={error ?? codeRequest.error} />
      </Stack>
      <DialogActions>
        <Button
          busy={codeRequest.isPending}
          variant="quiet"
          onClick={() => onResend({ onSuccess: () => setResent(true) })}
        >
          {t.mail.again}
        </Button>
        <Button busy={busy} variant={danger ? 'danger' : 'primary'} type="submit">
          {action}
        </Button>
      </DialogActions>
    </Form>
  )
}
