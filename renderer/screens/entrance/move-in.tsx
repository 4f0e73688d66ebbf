import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { type Body, call } from '../../api/client.ts'
import { isFactorWanted } from '../../api/errors.ts'
import { hostOf, type MoveInInput, moveIn } from '../../api/moves.ts'
import { switchTo } from '../../api/sessions.ts'
import { entrances } from '../../entrances.ts'
import { useHandleCheck } from '../../parts/handle-check.ts'
import { HandleField } from '../../parts/handle-field.tsx'
import { NewPasswordField } from '../../parts/new-password-field.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Field, PasswordField } from '../../ui/field.tsx'
import { Switch } from '../../ui/switch.tsx'
import { useAdminPassword } from './admin-password.tsx'
import { EntranceForm } from './entrance-form.tsx'
import { Heading, useLeaveEntrance } from './heading.tsx'
import { SecondFactor } from './second-factor.tsx'

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
  const [identifier, setIdentifier] = useState('')
  const [address, setAddress] = useState('')
  const find = useMutation({
    mutationFn: async (): Promise<Origin> => {
      const text = identifier.trim().replace(/^@/, '')
      const server = address.trim()
      if (server !== '') {
        const url = /^https?:\/\//i.test(server) ? server : `https://${server}`
        return { identifier: text, handle: text, server: new URL(url).origin, isNamed: true }
      }
      const found = await call(com.core.move.findAccount, { params: { identifier: text } })
      return { identifier: text, handle: found.handle ?? text, server: found.server, isNamed: false }
    },
    onSuccess: onFound,
  })
  return (
    <>
      <Heading title={t.move.findTitle}>{t.move.findLead}</Heading>
      <EntranceForm
        action={t.move.find}
        busy={find.isPending}
        error={find.error}
        focusFirst
        links={
          <p>
            <Link href={entrances.signIn}>{t.move.toSignIn}</Link>
          </p>
        }
        onSubmit={() => find.mutate()}
      >
        <Field
          autoCapitalize="none"
          autoComplete="off"
          hint={t.move.identifierHint}
          label={t.move.identifier}
          onChange={(event) => setIdentifier(event.target.value)}
          required
          spellCheck={false}
          value={identifier}
        />
        {(find.isError || address !== '') && (
          <Field
            autoCapitalize="none"
            autoComplete="off"
            hint={t.move.serverHint}
            inputMode="url"
            label={t.move.server}
            onChange={(event) => setAddress(event.target.value)}
            spellCheck={false}
            value={address}
          />
        )}
      </EntranceForm>
    </>
  )
}

interface SignInThereProps extends MoveInProps {
  readonly origin: Origin
  onBack(): void
}

function SignInThere({ origin, server, onBack }: SignInThereProps) {
  const host = hostOf(origin.server)
  const form = useMoveInForm(origin, server)
  const { attempt, handle, check } = form
  const [needsFactor, setNeedsFactor] = useState(false)
  if (isFactorWanted(attempt.error) && !needsFactor) setNeedsFactor(true)
  if (needsFactor) {
    return (
      <SecondFactor
        attempt={attempt}
        onBack={() => {
          attempt.reset()
          setNeedsFactor(false)
        }}
        onResend={() => form.submit()}
        onSubmit={(authFactorToken) => form.submit(authFactorToken.trim())}
      />
    )
  }
  return (
    <>
      <Heading title={t.move.signInTitle(host)}>{t.move.signInLead(origin.handle)}</Heading>
      <EntranceForm
        action={t.move.submit}
        busy={attempt.isPending}
        error={form.adminPassword.explains ? null : attempt.error}
        focusFirst
        links={
          <p>
            <Button onClick={onBack} size="s" variant="quiet">
              {t.move.back}
            </Button>
          </p>
        }
        onSubmit={() => form.submit()}
      >
        <PasswordField
          hint={t.move.passwordHint}
          label={t.move.password(host)}
          onChange={(event) => form.setPassword(event.target.value)}
          required
          value={form.password}
        />
        {form.canKeepHandle && (
          <Switch
            checked={form.keepsHandle}
            hint={t.move.keepHandleHint}
            label={t.move.keepHandle(origin.handle)}
            onChange={form.setKeepsHandle}
          />
        )}
        {!form.keepsHandle && (
          <HandleField
            check={check}
            domain={form.domain}
            domains={server.availableUserDomains}
            handle={handle}
            onDomain={form.setDomain}
            onType={form.setTyped}
            serverError={undefined}
            typed={form.typed}
          />
        )}
        <NewPasswordField
          label={t.move.newPassword}
          onChange={form.setNewPassword}
          username={handle}
          value={form.newPassword}
        />
        <Field
          autoComplete="email"
          hint={t.move.emailHint}
          label={t.move.email}
          onChange={(event) => form.setEmail(event.target.value)}
          type="email"
          value={form.email}
        />
        {server.inviteCodeRequired && !form.adminPassword.isAsked && (
          <Field
            autoComplete="off"
            hint={t.signUp.inviteHint}
            label={t.signUp.invite}
            mono
            onChange={(event) => form.setInviteCode(event.target.value)}
            required
            spellCheck={false}
            value={form.inviteCode}
          />
        )}
        {server.unclaimed === undefined && form.adminPassword.field}
      </EntranceForm>
    </>
  )
}

function useMoveInForm(origin: Origin, server: MoveInProps['server']) {
  const leaveEntrance = useLeaveEntrance()
  const [password, setPassword] = useState('')
  const [keepsHandle, setKeepsHandle] = useState(false)
  const [typed, setTyped] = useState(origin.handle.split('.')[0] ?? '')
  const [domain, setDomain] = useState(server.availableUserDomains[0] ?? '')
  const [newPassword, setNewPassword] = useState('')
  const [email, setEmail] = useState('')
  const [inviteCode, setInviteCode] = useState('')
  const name = typed.trim().toLowerCase().replace(/^@/, '')
  const check = useHandleCheck(name, name + domain)
  const handle = keepsHandle ? origin.handle : name + domain
  const attempt = useMutation({
    mutationFn: ({ input, admin }: { input: MoveInInput; admin: string | undefined }) => moveIn(input, admin),
    onSuccess: ({ did }) => {
      switchTo(did)
      leaveEntrance()
    },
  })
  const adminPassword = useAdminPassword(attempt.error)
  const submit = (authFactorToken?: string) => {
    if (!keepsHandle && check.problem) return
    const input: MoveInInput = {
      ...{ identifier: origin.identifier, password, authFactorToken, handle, newPassword },
      server: origin.isNamed ? origin.server : undefined,
      email: email.trim() || undefined,
      inviteCode: inviteCode.trim() || undefined,
    }
    attempt.mutate({ input, admin: adminPassword.value })
  }
  const canKeepHandle = !origin.handle.startsWith('did:') && origin.handle.includes('.')
  return {
    ...{
      password,
      setPassword,
      keepsHandle,
      setKeepsHandle,
      canKeepHandle,
      typed,
      setTyped,
      domain,
      setDomain,
    },
    ...{
      newPassword,
      setNewPassword,
      email,
      setEmail,
      inviteCode,
      setInviteCode,
      handle,
      check,
      attempt,
      adminPassword,
      submit,
    },
  }
}
