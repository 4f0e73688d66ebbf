import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { type Body, call } from '../../api/client.ts'
import { hostOf, type MoveInInput, moveIn } from '../../api/moves.ts'
import { entrances } from '../../entrances.ts'
import { useHandleChoice } from '../../parts/account/handle-check.ts'
import { HandleField } from '../../parts/account/handle-field.tsx'
import { newEmail } from '../../parts/account/new-email.ts'
import { NewPasswordField } from '../../parts/account/new-password-field.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Field, PasswordField } from '../../ui/field.tsx'
import type { Fields } from '../../ui/form.tsx'
import { Switch } from '../../ui/switch.tsx'
import { useAdminPassword } from './admin-password.tsx'
import { EntranceForm, useEnter } from './entrance-form.tsx'
import { SecondFactor, useSecondFactor } from './second-factor.tsx'

interface MoveInProps {
  readonly server: Body<typeof com.core.server.describeServer.main>
}

/** The account that moves, and the server on which it lives. */
interface Origin {
  readonly identifier: string
  readonly handle: string
  readonly server: string
  /** Whether the server was entered rather than found. */
  readonly isNamed: boolean
}

/** Brings an account from another server: finds it, signs in there, and chooses how to sign in here. */
export function MoveIn({ server }: MoveInProps) {
  const [origin, setOrigin] = useState<Origin>()
  return origin ? (
    <SignInThere onBack={() => setOrigin(undefined)} origin={origin} server={server} />
  ) : (
    <FindAccount onFound={setOrigin} />
  )
}

function FindAccount({ onFound }: { onFound(origin: Origin): void }) {
  const find = useMutation({ mutationFn: findAccount, onSuccess: onFound })
  return (
    <EntranceForm
      lead={t.move.findLead}
      title={t.move.findTitle}
      action={t.ui.continue}
      busy={find.isPending}
      error={find.error}
      focusFirst
      links={
        <p>
          <Link href={entrances.signIn}>{t.welcome.toSignIn}</Link>
        </p>
      }
      onSubmit={(field) => find.mutate({ account: field('account').trim(), server: field('server').trim() })}
    >
      <Field exact hint={t.move.identifierHint} label={t.move.identifier} name="account" required />
      {(find.isError || find.variables?.server) && (
        <Field exact hint={t.move.serverHint} inputMode="url" label={t.move.server} name="server" />
      )}
    </EntranceForm>
  )
}

/** @param server its address; empty to look the account up */
async function findAccount({ account, server }: { account: string; server: string }): Promise<Origin> {
  const identifier = account.replace(/^@/, '')
  if (server !== '') {
    const url = /^https?:\/\//i.test(server) ? server : `https://${server}`
    return { identifier, handle: identifier, server: new URL(url).origin, isNamed: true }
  }
  const found = await call(com.core.move.findAccount, { params: { identifier } })
  return { identifier, handle: found.handle ?? identifier, server: found.server, isNamed: false }
}

interface SignInThereProps extends MoveInProps {
  readonly origin: Origin
  onBack(): void
}

/** The input, without the code that the other server may ask for. */
interface Attempt {
  readonly input: MoveInInput
  readonly admin: string | undefined
}

function SignInThere({ origin, server, onBack }: SignInThereProps) {
  const host = hostOf(origin.server)
  const canKeepHandle = !origin.handle.startsWith('did:') && origin.handle.includes('.')
  const [keepsHandle, setKeepsHandle] = useState(false)
  const choice = useHandleChoice(server.availableUserDomains, origin.handle.split('.')[0])
  const handle = keepsHandle ? origin.handle : choice.handle
  const attempt = useMutation({
    mutationFn: ({ input, admin }: Attempt) => moveIn(input, admin),
    onSuccess: useEnter(),
  })
  const adminPassword = useAdminPassword(attempt.error)
  const [entered, setEntered] = useState<Attempt>()
  const [needsFactor, startOver] = useSecondFactor(attempt)
  if (needsFactor && entered) {
    return (
      <SecondFactor
        attempt={attempt}
        onBack={startOver}
        onResend={() => attempt.mutate(entered)}
        onSubmit={(code) =>
          attempt.mutate({ ...entered, input: { ...entered.input, authFactorToken: code.trim() } })
        }
      />
    )
  }
  const submit = (field: Fields) => {
    if (!keepsHandle && choice.check.problem) return
    const input: MoveInInput = {
      identifier: origin.identifier,
      password: field('password'),
      handle,
      newPassword: field('newPassword'),
      server: origin.isNamed ? origin.server : undefined,
      email: field('email').trim() || undefined,
      inviteCode: field('inviteCode').trim() || undefined,
    }
    const next = { input, admin: field('adminPassword') || undefined }
    setEntered(next)
    attempt.mutate(next)
  }
  return (
    <EntranceForm
      lead={t.move.signInLead(origin.handle)}
      title={t.move.signInTitle(host)}
      action={t.move.submit}
      busy={attempt.isPending}
      error={adminPassword.explains ? null : attempt.error}
      focusFirst
      links={
        <p>
          <Button onClick={onBack} size="s" variant="quiet">
            {t.ui.back}
          </Button>
        </p>
      }
      onSubmit={submit}
    >
      <PasswordField
        defaultValue={entered?.input.password}
        hint={t.move.passwordHint}
        label={t.move.password(host)}
        name="password"
        required
      />
      {canKeepHandle && (
        <Switch
          checked={keepsHandle}
          hint={t.move.keepHandleHint}
          label={t.move.keepHandle(origin.handle)}
          onChange={setKeepsHandle}
        />
      )}
      {!keepsHandle && <HandleField choice={choice} />}
      <NewPasswordField label={t.move.newPassword} username={handle} />
      <Field
        autoComplete="email"
        defaultValue={entered?.input.email}
        hint={t.move.emailHint}
        label={t.ui.email}
        name="email"
        {...newEmail}
      />
      {server.inviteCodeRequired && !adminPassword.isAsked && (
        <Field
          defaultValue={entered?.input.inviteCode}
          hint={t.signUp.inviteHint}
          label={t.ui.inviteCode}
          mono
          name="inviteCode"
          required
        />
      )}
      {server.unclaimed === undefined && adminPassword.field}
    </EntranceForm>
  )
}
