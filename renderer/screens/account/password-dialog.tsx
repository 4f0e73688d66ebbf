import type { ReactNode } from 'react'
import { ProofFields, proofError } from '../../parts/account/proof-fields.tsx'
import { FormDialog, type FormDialogProps } from '../../ui/dialog.tsx'

interface PasswordDialogProps extends Omit<FormDialogProps, 'error' | 'children'> {
  readonly error: Error | null
  readonly children?: ReactNode
  /** Below the password. */
  readonly after?: ReactNode
}

/** A form that the main password confirms, and the second step if the server asks for it. The field shows the error of a wrong one. */
export function PasswordDialog({ error, children, after, ...dialog }: PasswordDialogProps) {
  return (
    <FormDialog {...dialog} error={proofError(error)}>
      {children}
      <ProofFields error={error} />
      {after}
    </FormDialog>
  )
}
