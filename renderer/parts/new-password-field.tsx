import { type ReactNode, useState } from 'react'
import { t } from '../strings/en.ts'
import { type FieldProps, PasswordField, Username } from '../ui/field.tsx'
import { PasswordStrength } from './password-strength.tsx'

interface NewPasswordFieldProps {
  /** The handle or email address under which password managers save the password. */
  readonly username: string
  readonly label?: string
  readonly error?: string | undefined
}

/** The field `newPassword` for the password of an account, with its strength. The server accepts 8 to 256 characters. */
export function NewPasswordField({ username, label = t.ui.newPassword, error }: NewPasswordFieldProps) {
  return (
    <>
      <Username value={username} />
      <StrengthField
        error={error}
        hint={t.signUp.passwordHint}
        label={label}
        maxLength={256}
        name="newPassword"
      />
    </>
  )
}

/** A field for a secret of at least 8 characters. Its strength replaces the hint once something is typed. */
export function StrengthField({ hint, ...field }: FieldProps & { readonly hint: ReactNode }) {
  const [text, setText] = useState('')
  return (
    <PasswordField
      {...field}
      autoComplete="new-password"
      hint={text === '' ? hint : <PasswordStrength password={text} />}
      minLength={8}
      onChange={(event) => setText(event.target.value)}
      required
    />
  )
}
