import { errorName } from '../../api/errors.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { PasswordField, Username } from '../../ui/field.tsx'

interface OwnPasswordFieldProps {
  readonly value: string
  /** The error of the submission. */
  readonly error: Error | null
  onChange(password: string): void
}

/** The main password, which confirms a change of the identity. */
export function OwnPasswordField({ value, error, onChange }: OwnPasswordFieldProps) {
  const { handle } = useSession()
  return (
    <>
      <Username value={handle} />
      <PasswordField
        error={isWrongPassword(error) ? t.identity.wrongPassword : undefined}
        label={t.identity.password}
        onChange={(event) => onChange(event.target.value)}
        required
        value={value}
      />
    </>
  )
}

/** Whether the field shows an error. */
export function isWrongPassword(error: Error | null): boolean {
  return errorName(error) === 'AuthenticationRequired'
}
