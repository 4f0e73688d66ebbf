import { useState } from 'react'
import { t } from '../strings/en.ts'
import { PasswordField, Username } from '../ui/field.tsx'
import { PasswordStrength } from './password-strength.tsx'

interface NewPasswordFieldProps {
  /** The handle or email address under which password managers save the password. */
  readonly username: string
  readonly label?: string
  readonly error?: string | undefined
}

/** The field `newPassword` for the password of an account, with its strength. The server accepts 8 to 256 characters. */
export function NewPasswordField({ username, label = t.ui.newPassword, error }: NewPasswordFieldProps) {
  const [password, setPassword] = useState('')
  return (
    <>
      <Username value={username} />
      <PasswordField
        autoComplete="new-password"
        error={error}
        hint={<PasswordStrength password={password} />}
        label={label}
        maxLength={256}
        minLength={8}
        name="newPassword"
        onChange={(event) => setPassword(event.target.value)}
        required
      />
    </>
  )
}
