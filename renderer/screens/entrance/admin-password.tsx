import { type ReactNode, useState } from 'react'
import { errorName } from '../../api/call-errors.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/field.tsx'
import { Notice } from '../../ui/states.tsx'

interface AdminPassword {
  /** Whether the field shows the error. */
  readonly explains: boolean
  /** The field `adminPassword` once it is needed, before that a button that shows it. */
  readonly field: ReactNode
  /** Whether the field is shown; an invite code is not needed then. */
  readonly isAsked: boolean
}

/**
 * Asks for the admin password, which the first account needs away from the server's computer: when the server refuses new
 * accounts from here, or when the person says that the server is theirs.
 */
export function useAdminPassword(error: unknown): AdminPassword {
  const [isNeeded, setIsNeeded] = useState(false)
  const isRefused = errorName(error) === 'Forbidden'
  const isWrong = error instanceof Error && error.message === 'Wrong admin password'
  if (isRefused && !isNeeded) setIsNeeded(true)
  return {
    explains: isRefused || isWrong,
    isAsked: isNeeded,
    field: isNeeded ? (
      <>
        {isRefused && (
          <Notice live variant="warn">
            {t.signUp.refused}
          </Notice>
        )}
        <PasswordField
          error={isWrong ? t.signUp.wrongAdminPassword : undefined}
          hint={t.signUp.adminPasswordHint}
          label={t.signUp.adminPassword}
          name="adminPassword"
          required
        />
      </>
    ) : (
      <p>
        <Button onClick={() => setIsNeeded(true)} size="s" variant="quiet">
          {t.signUp.isMyServer}
        </Button>
      </p>
    ),
  }
}
