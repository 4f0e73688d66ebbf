import { errorName } from '../../api/call-errors.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { PasswordField, Username } from '../../ui/field.tsx'

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
