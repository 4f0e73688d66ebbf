import type { Proof } from '../../api/passkeys.ts'
import { useMaybeSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { ProofFields, proofError, proofOf } from '../account/proof-fields.tsx'
import { useDialogWork } from '../dialog-action.ts'

interface SendTestDialogProps {
  readonly title: string
  readonly lead: string
  /** Whether the call takes the main password. */
  readonly needsProof?: boolean
  send(to: string, proof: Proof | undefined): Promise<unknown>
  /** The text of the toast. */
  done(to: string): string
  onClose(): void
}

/** Asks for a recipient and sends a test message. */
export function SendTestDialog(props: SendTestDialogProps) {
  const { title, lead, needsProof = false, send, done, onClose } = props
  const session = useMaybeSession()
  const sending = useDialogWork({
    run: (field) => send(field('to'), needsProof ? proofOf(field) : undefined),
    done: (field) => done(field('to')),
    onClose,
  })
  return (
    <FormDialog
      {...sending}
      action={t.ui.send}
      error={needsProof ? proofError(sending.error) : sending.error}
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
      {needsProof && <ProofFields error={sending.error} />}
    </FormDialog>
  )
}
