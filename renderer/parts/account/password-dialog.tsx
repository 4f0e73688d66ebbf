import type { ReactNode } from 'react'
import { FormDialog, type FormDialogProps } from '../../ui/dialog.tsx'
import { ProofFields, proofError } from './proof-fields.tsx'

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
