import { isFactorWanted } from '../../api/errors.ts'
import { OutboxHint } from '../../parts/outbox-hint.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CodeField } from '../../ui/field.tsx'
import styles from './entrance.module.css'
import { EntranceForm } from './entrance-form.tsx'
import { Heading } from './heading.tsx'

interface SecondFactorProps {
  readonly attempt: { readonly error: Error | null; readonly isPending: boolean }
  onSubmit(code: string): void
  /** Requests a new code. */
  onResend(): void
  onBack(): void
}

/** Asks for the emailed code of a sign-in. */
export function SecondFactor({ attempt, onSubmit, onResend, onBack }: SecondFactorProps) {
  return (
    <>
      <Heading title={t.signIn.factorTitle}>{t.signIn.factorLead}</Heading>
      <EntranceForm
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
        <CodeField hint={<OutboxHint />} name="code" />
      </EntranceForm>
    </>
  )
}
