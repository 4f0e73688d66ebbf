import { type ReactNode, useState } from 'react'
import { t } from '../../strings/en.ts'
import { type FieldProps, PasswordField, Username } from '../../ui/field.tsx'
import styles from './password-strength.module.css'

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

const levels = ['short', 'weak', 'fair', 'strong'] as const
type Level = (typeof levels)[number]

/** A rough estimate from length and kinds of characters. */
export function strengthOf(password: string): Level {
  const distinct = new Set(password).size
  if (password.length < 8) return 'short'
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].filter((kind) => kind.test(password)).length
  const bits = Math.min(password.length, distinct * 2) * (2.5 + kinds * 0.75)
  if (bits < 40) return 'weak'
  return bits < 60 ? 'fair' : 'strong'
}

function PasswordStrength({ password }: { readonly password: string }) {
  const level = strengthOf(password)
  const reached = levels.indexOf(level)
  return (
    <span className={styles.strength}>
      <span aria-hidden className={styles.bars}>
        {levels.slice(1).map((one, at) => (
          <span data-on={at < reached} key={one} />
        ))}
      </span>
      <span aria-live="polite">
        <span className="visually-hidden">{t.signUp.strength.label} </span>
        {t.signUp.strength[level]}
      </span>
    </span>
  )
}
