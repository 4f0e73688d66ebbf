import type { ReactNode } from 'react'
import { FormDialog, type FormDialogProps } from '../../ui/dialog.tsx'
import { isWrongPassword, OwnPasswordField } from './own-password-field.tsx'

interface PasswordDialogProps extends Omit<FormDialogProps, 'error' | 'children'> {
  readonly error: Error | null
  readonly children?: ReactNode
}

/** A form that the main password confirms. The field shows the error of a wrong one. */
export function PasswordDialog({ error, children, ...dialog }: PasswordDialogProps) {
  return (
    <FormDialog {...dialog} error={isWrongPassword(error) ? null : error}>
      {children}
      <OwnPasswordField error={error} />
    </FormDialog>
  )
}
