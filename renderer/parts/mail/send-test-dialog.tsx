import { useMaybeSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { useDialogWork } from '../dialog-action.ts'

interface SendTestDialogProps {
  readonly title: string
  readonly lead: string
  send(to: string): Promise<unknown>
  /** The text of the toast. */
  done(to: string): string
  onClose(): void
}

/** Asks for a recipient and sends a test message. */
export function SendTestDialog({ title, lead, send, done, onClose }: SendTestDialogProps) {
  const session = useMaybeSession()
  const sending = useDialogWork({
    run: (field) => send(field('to')),
    done: (field) => done(field('to')),
    onClose,
  })
  return (
    <FormDialog {...sending} action={t.ui.send} title={title}>
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
