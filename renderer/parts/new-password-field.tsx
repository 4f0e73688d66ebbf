import { t } from '../strings/en.ts'
import { PasswordField, Username } from '../ui/field.tsx'
import { PasswordStrength } from './password-strength.tsx'

interface NewPasswordFieldProps {
  /** The handle or email address under which password managers save the password. */
  readonly username: string
  readonly value: string
  readonly label?: string
  readonly error?: string | undefined
  onChange(password: string): void
}

/** The field for a new account password, with its strength. The server accepts 8 to 256 characters. */
export function NewPasswordField({
  username,
  value,
  label = t.ui.newPassword,
  error,
  onChange,
}: NewPasswordFieldProps) {
  return (
    <>
      <Username value={username} />
      <PasswordField
        autoComplete="new-password"
        error={error}
        hint={<PasswordStrength password={value} />}
        label={label}
        maxLength={256}
        minLength={8}
        onChange={(event) => onChange(event.target.value)}
        required
        value={value}
      />
    </>
  )
}
