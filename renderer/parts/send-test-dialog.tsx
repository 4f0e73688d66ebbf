import { useMutation } from '@tanstack/react-query'
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
  const session = useMaybeSession()
  const sending = useMutation({
    mutationFn: (to: string) => send(to),
    networkMode: 'always',
    onSuccess: (_, to) => {
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
      onSubmit={(field) => sending.mutate(field('to'))}
      title={title}
    >
      <p>{lead}</p>
      <Field
        autoComplete="email"
        defaultValue={session?.email}
        label={t.outbox.testTo}
        name="to"
        required
        type="email"
      />
    </FormDialog>
  )
}
