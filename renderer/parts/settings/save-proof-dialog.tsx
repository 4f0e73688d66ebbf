import type { UseMutationResult } from '@tanstack/react-query'
import type { Proof } from '../../api/passkeys.ts'
import { t } from '../../strings/en.ts'
import { PasswordDialog } from '../account/password-dialog.tsx'
import { proofOf } from '../account/proof-fields.tsx'

interface SaveProofDialogProps {
  readonly save: UseMutationResult<unknown, Error, Proof | undefined>
  /** Why it takes the password. */
  readonly text: string
  onClose(): void
}

/** Asks for the main password, and saves settings that take it. */
export function SaveProofDialog({ save, text, onClose }: SaveProofDialogProps) {
  return (
    <PasswordDialog
      action={t.ui.save}
      busy={save.isPending}
      error={save.error}
      onClose={() => {
        onClose()
        save.reset()
      }}
      onSubmit={(field) => save.mutate(proofOf(field))}
      title={t.server.proofTitle}
    >
      <p>{text}</p>
    </PasswordDialog>
  )
}
