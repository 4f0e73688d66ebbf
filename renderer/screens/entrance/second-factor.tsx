import { useState } from 'react'
import { isFactorWanted } from '../../api/call-errors.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CodeField } from '../../ui/field.tsx'
import styles from './entrance.module.css'
import { EntranceForm } from './entrance-form.tsx'

interface SecondFactorProps {
  readonly attempt: { readonly error: Error | null; readonly isPending: boolean }
  onSubmit(code: string): void
  /** Requests a new code. */
  onResend(): void
  onBack(): void
}

/** Whether an attempt to sign in needs the emailed code, from then on. @returns it, and a function to start over */
export function useSecondFactor(attempt: {
  readonly error: Error | null
  reset(): void
}): [boolean, () => void] {
  const [isNeeded, setNeeded] = useState(false)
  if (isFactorWanted(attempt.error) && !isNeeded) setNeeded(true)
  const startOver = () => {
    attempt.reset()
    setNeeded(false)
  }
  return [isNeeded, startOver]
}

/** Asks for the emailed code of a sign-in to another server. */
export function SecondFactor({ attempt, onSubmit, onResend, onBack }: SecondFactorProps) {
  return (
    <EntranceForm
      lead={t.signIn.factorLead}
      title={t.signIn.factorTitle}
      action={t.signIn.submit}
      busy={attempt.isPending}
      error={isFactorWanted(attempt.error) ? null : attempt.error}
      focusFirst
      links={
        <div className={styles.between}>
          <Button variant="quiet" onClick={onBack} size="s">
            {t.reset.back}
          </Button>
          <Button busy={attempt.isPending} variant="quiet" onClick={onResend} size="s">
            {t.mail.again}
          </Button>
        </div>
      }
      onSubmit={(field) => onSubmit(field('code'))}
    >
      <CodeField name="code" />
    </EntranceForm>
  )
}
