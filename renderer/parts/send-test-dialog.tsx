import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useMaybeSession } from '../api/sessions.ts'
import { t } from '../strings/en.ts'
import { Field } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'

interface SendTestDialogProps {
  readonly title: string
  readonly lead: string
  send(to: string): Promise<unknown>
  onSent(to: string): void
  onClose(): void
}

/** Asks for a recipient and sends a test message. */
export function SendTestDialog({ title, lead, send, onSent, onClose }: SendTestDialogProps) {
  const [to, setTo] = useState(useMaybeSession()?.email ?? '')
  const sending = useMutation({
    mutationFn: send,
    networkMode: 'always',
    onSuccess: () => {
      onSent(to)
      onClose()
    },
  })
  return (
    <FormDialog
      action={t.outbox.testSubmit}
      busy={sending.isPending}
      error={sending.error}
      onClose={onClose}
      onSubmit={() => sending.mutate(to)}
      title={title}
    >
      <p>{lead}</p>
      <Field
        autoComplete="email"
        label={t.outbox.testTo}
        onChange={(event) => setTo(event.target.value)}
        required
        type="email"
        value={to}
      />
    </FormDialog>
  )
}
