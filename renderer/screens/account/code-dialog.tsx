import type { Main, Procedure } from '@atproto/lex-schema'
import { type ReactNode, useState } from 'react'
import type { Body } from '../../api/client.ts'
import { useDelivery } from '../../api/codes.ts'
import { type Input, useProcedure } from '../../api/hooks.ts'
import type { DialogAction } from '../../parts/dialog-action.ts'
import { OutboxHint } from '../../parts/mail/outbox-hint.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { CodeField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Stack } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'

/** The request for a code. */
export interface CodeRequest {
  readonly isPending: boolean
  readonly error: Error | null
  send(callbacks: { onSuccess(): void }): void
}

/** The request for a code, by a procedure that sends it. `send` is called when the dialog opens, and for another code. */
export function useCodeRequest<P extends Procedure>(method: Main<P>, input?: Input<P>) {
  const { isPending, error, mutate } = useProcedure(method)
  const send = (callbacks: { onSuccess?(output: Body<P>): void } = {}) => mutate(input as Input<P>, callbacks)
  return { isPending, error, send }
}

interface CodeDialogProps extends Omit<DialogAction, 'error' | 'reset'> {
  readonly title: string
  /** The address that the code is sent to. */
  readonly email: string
  readonly codeRequest: CodeRequest
  readonly action: string
  /** Whether the code may be read with the session of an owner in a browser. */
  readonly isForOwner?: boolean
  readonly variant?: 'primary' | 'danger'
  /** The error of submitting the code, which is the field `code`. */
  readonly error: Error | string | null
  /** Above the code. */
  readonly lead?: ReactNode
  /** Further fields. */
  readonly children?: ReactNode
}

/** Confirms an action with a code that was emailed, or is in the outbox. */
export function CodeDialog(props: CodeDialogProps) {
  const { title, email, codeRequest, action, variant = 'primary', busy, error, lead, children } = props
  const [isResent, setResent] = useState(false)
  const delivery = useDelivery()
  const sent = isResent ? t.codes.sentAgain[delivery] : t.codes.sent[delivery](email)
  return (
    <Dialog onClose={props.onClose} title={title}>
      <Form busy={busy} onSubmit={props.onSubmit}>
        <Stack>
          {lead}
          {!codeRequest.error && (
            <p role="status">{codeRequest.isPending ? t.codes.sending[delivery](email) : sent}</p>
          )}
          <CodeField autoFocus hint={<OutboxHint isForOwner={props.isForOwner} />} name="code" />
          {children}
          <FormError error={error ?? codeRequest.error} />
        </Stack>
        <DialogActions>
          <Button
            busy={codeRequest.isPending}
            variant="quiet"
            onClick={() => codeRequest.send({ onSuccess: () => setResent(true) })}
          >
            {t.codes.again[delivery]}
          </Button>
          <Button busy={busy} variant={variant} type="submit">
            {action}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
