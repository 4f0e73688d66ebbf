import type { ReactNode } from 'react'
import { errorName } from '../../api/call-errors.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { FormDialog, type FormDialogProps } from '../../ui/dialog.tsx'
import { PasswordField, Username } from '../../ui/field.tsx'

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

/** The field `password` for the main password, which confirms a change of the identity. @param error of the submission */
export function OwnPasswordField({ error }: { readonly error: Error | null }) {
  const { handle } = useSession()
  return (
    <>
      <Username value={handle} />
      <PasswordField
        error={isWrongPassword(error) ? t.identity.wrongPassword : undefined}
        label={t.identity.password}
        name="password"
        required
      />
    </>
  )
}

/** Whether the field shows an error. */
export function isWrongPassword(error: Error | null): boolean {
  return errorName(error) === 'AuthenticationRequired'
}
