import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { errorName, isFactorWanted } from '../../api/call-errors.ts'
import { useDelivery } from '../../api/codes.ts'
import { endedSession } from '../../api/sessions.ts'
import { AppPasswordError, type Credentials, signIn } from '../../api/sign-in.ts'
import { entrances } from '../../entrances.ts'
import { useStore } from '../../store.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Field, PasswordField } from '../../ui/field.tsx'
import { Notice } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './entrance.module.css'
import { EntranceForm, useEnter } from './entrance-form.tsx'
import { useSecondFactor } from './second-factor.tsx'
import { SecondStep } from './second-step.tsx'

interface SignInProps {
  /** One sentence that explains why it is asked for. */
  readonly lead?: string
  /** The account that is expected. */
  readonly identifier?: string | undefined
  onSignedIn?(did: string): void
}

/** Asks for handle and password, then for the second step if the account has one. */
export function SignIn({ lead, identifier, onSignedIn }: SignInProps) {
  const ended = useStore(endedSession)
  const [entered, setEntered] = useState<Credentials>({
    identifier: identifier ?? ended?.handle ?? '',
    password: '',
  })
  const enter = useEnter()
  const attempt = useMutation({
    mutationFn: signIn,
    onSuccess(session) {
      enter(session)
      onSignedIn?.(session.did)
    },
  })
  const [needsFactor, startOver] = useSecondFactor(attempt)
  const delivery = useDelivery()
  if (needsFactor) {
    return (
      <SecondStep
        attempt={attempt}
        identifier={entered.identifier}
        onBack={startOver}
        onResend={() =>
          attempt.mutate(entered, {
            onError: (error) => isFactorWanted(error) && toast(t.codes.sentAgain[delivery]),
          })
        }
        onSubmit={(authFactorToken) =>
          attempt.mutate(authFactorToken === undefined ? entered : { ...entered, authFactorToken })
        }
      />
    )
  }
  return (
    <EntranceForm
      before={
        ended && (
          <Notice live variant="warn">
            {t.signIn.ended(ended.handle)}
          </Notice>
        )
      }
      {...(lead !== undefined && { lead })}
      title={t.welcome.signInTitle}
      action={t.signIn.submit}
      busy={attempt.isPending}
      error={isTakendown(attempt.error) ? null : messageOf(attempt.error)}
      links={
        <>
          <p className={styles.between}>
            <Link href={entrances.reset}>{t.signIn.forgot}</Link>
            <Link href={entrances.create}>{t.welcome.createTitle}</Link>
          </p>
          <p>
            <Link href={entrances.moveIn}>{t.move.bring}</Link>
          </p>
          <p>
            <Link href={entrances.recover}>{t.recover.way}</Link>
          </p>
        </>
      }
      onSubmit={(field) => {
        const credentials = { identifier: field('identifier'), password: field('password') }
        setEntered(credentials)
        attempt.mutate(credentials)
      }}
    >
      <Field
        exact
        autoComplete="username"
        defaultValue={entered.identifier}
        label={t.signIn.identifier}
        name="identifier"
        required
      />
      <PasswordField defaultValue={entered.password} label={t.ui.password} name="password" required />
      {isTakendown(attempt.error) && (
        <TakendownNotice onContinue={() => attempt.mutate({ ...entered, allowTakendown: true })} />
      )}
    </EntranceForm>
  )
}

/** Offers to sign in to an account that was taken down. */
function TakendownNotice({ onContinue }: { onContinue(): void }) {
  const action = (
    <Button onClick={onContinue} size="s">
      {t.signIn.takendownAction}
    </Button>
  )
  return (
    <Notice action={action} live variant="danger">
      {t.signIn.takendown}
    </Notice>
  )
}

function messageOf(error: Error | null): unknown {
  if (error instanceof AppPasswordError) return t.signIn.appPassword
  return errorName(error) === 'AuthenticationRequired' ? t.signIn.wrong : error
}

function isTakendown(error: Error | null): boolean {
  return errorName(error) === 'AccountTakedown'
}
