import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { errorName } from '../../api/errors.ts'
import { endedSession, switchTo } from '../../api/sessions.ts'
import { AppPasswordError, type Credentials, signIn } from '../../api/sign-in.ts'
import { useStore } from '../../api/store.ts'
import { entrances } from '../../entrances.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CodeField, Field, PasswordField } from '../../ui/field.tsx'
import { Stack } from '../../ui/page.tsx'
import { FormError, Notice } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { OutboxHint } from '../outbox/outbox-hint.tsx'
import styles from './entrance.module.css'
import { Heading, useFocusFirst, useLeaveEntrance } from './heading.tsx'

/** Asks for handle and password, then for an emailed code if the account needs one. */
export function SignIn() {
  const ended = useStore(endedSession)
  const leaveEntrance = useLeaveEntrance()
  const [identifier, setIdentifier] = useState(ended?.handle ?? '')
  const [password, setPassword] = useState('')
  const attempt = useMutation({
    mutationFn: signIn,
    onSuccess: ({ did }) => {
      switchTo(did)
      leaveEntrance()
    },
  })
  const failure = errorName(attempt.error)
  const tryWith = (more: Partial<Credentials> = {}) => attempt.mutate({ identifier, password, ...more })
  const [needsFactor, setNeedsFactor] = useState(false)
  if (isFactorWanted(attempt.error) && !needsFactor) setNeedsFactor(true)
  if (needsFactor) {
    return (
      <SecondFactor
        attempt={attempt}
        onResend={() =>
          attempt.mutate(
            { identifier, password },
            { onError: (error) => isFactorWanted(error) && toast(t.mail.sentAgain) },
          )
        }
        onBack={() => {
          attempt.reset()
          setNeedsFactor(false)
        }}
        onSubmit={(authFactorToken) => tryWith({ authFactorToken })}
      />
    )
  }

  const submit = (event: FormEvent) => {
    event.preventDefault()
    tryWith()
  }
  return (
    <>
      <Heading title={t.welcome.signInTitle} />
      {ended && (
        <Notice live variant="warn">
          {t.signIn.ended(ended.handle)}
        </Notice>
      )}
      <form onSubmit={submit}>
        <Stack>
          <Field
            autoCapitalize="none"
            autoComplete="username"
            label={t.signIn.identifier}
            onChange={(event) => setIdentifier(event.target.value)}
            required
            spellCheck={false}
            value={identifier}
          />
          <PasswordField
            label={t.signIn.password}
            onChange={(event) => setPassword(event.target.value)}
            required
            value={password}
          />
          {failure === 'AccountTakedown' ? (
            <Notice
              action={
                <Button onClick={() => tryWith({ allowTakendown: true })} size="s">
                  {t.signIn.takendownAction}
                </Button>
              }
              live
              variant="danger"
            >
              {t.signIn.takendown}
            </Notice>
          ) : (
            <FormError error={messageOf(attempt.error)} />
          )}
          <Button busy={attempt.isPending} className={styles.submit} variant="primary" type="submit">
            {t.signIn.submit}
          </Button>
          <p className={styles.between}>
            <Link href={entrances.reset}>{t.signIn.forgot}</Link>
            <Link href={entrances.create}>{t.welcome.toCreate}</Link>
          </p>
        </Stack>
      </form>
    </>
  )
}

function messageOf(error: Error | null): unknown {
  if (error instanceof AppPasswordError) return t.signIn.appPassword
  return errorName(error) === 'AuthenticationRequired' ? t.signIn.wrong : error
}

function isFactorWanted(error: Error | null): boolean {
  return errorName(error) === 'AuthFactorTokenRequired'
}

interface SecondFactorProps {
  readonly attempt: { readonly error: Error | null; readonly isPending: boolean }
  onSubmit(code: string): void
  /** Requests a new code. */
  onResend(): void
  onBack(): void
}

function SecondFactor({ attempt, onSubmit, onResend, onBack }: SecondFactorProps) {
  const [code, setCode] = useState('')
  const form = useFocusFirst()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit(code)
  }
  return (
    <>
      <Heading title={t.signIn.factorTitle}>{t.signIn.factorLead}</Heading>
      <form onSubmit={submit} ref={form}>
        <Stack>
          <CodeField hint={<OutboxHint />} onChange={(event) => setCode(event.target.value)} value={code} />
          <FormError error={isFactorWanted(attempt.error) ? null : attempt.error} />
          <Button busy={attempt.isPending} className={styles.submit} variant="primary" type="submit">
            {t.signIn.submit}
          </Button>
          <div className={styles.between}>
            <Button variant="quiet" onClick={onBack} size="s">
              {t.reset.back}
            </Button>
            <Button busy={attempt.isPending} variant="quiet" onClick={onResend} size="s">
              {t.mail.again}
            </Button>
          </div>
        </Stack>
      </form>
    </>
  )
}
