import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'
import {
  createRecovered,
  type Found,
  findIdentity,
  NotAKey,
  type RecoveredAccount,
} from '../../api/recovery.ts'
import { switchTo } from '../../api/sessions.ts'
import { entrances } from '../../entrances.ts'
import { useHandleChoice } from '../../parts/account/handle-check.ts'
import { HandleField } from '../../parts/account/handle-field.tsx'
import { newEmail } from '../../parts/account/new-email.ts'
import { NewPasswordField } from '../../parts/account/new-password-field.tsx'
import { Facts } from '../../parts/facts.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import type { Fields } from '../../ui/form.tsx'
import { Stack } from '../../ui/page.tsx'
import { Notice } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { useAdminPassword } from './admin-password.tsx'
import { EntranceForm } from './entrance-form.tsx'

interface RecoverProps {
  readonly server: Body<typeof com.core.server.describeServer.main>
}

/** Recovers an account with its recovery key: finds its identity, and creates the account here. Its data are the next screen. */
export function Recover({ server }: RecoverProps) {
  const [found, setFound] = useState<Found>()
  return found ? (
    <CreateHere found={found} onBack={() => setFound(undefined)} server={server} />
  ) : (
    <EnterKey onFound={setFound} />
  )
}

function EnterKey({ onFound }: { onFound(found: Found): void }) {
  const find = useMutation({
    mutationFn: (entered: { identifier: string; secret: string }) =>
      findIdentity(entered.identifier, entered.secret),
    onSuccess: onFound,
    // The secret key is a variable of the mutation.
    gcTime: 0,
  })
  const wrong = find.error instanceof NotAKey ? find.error : undefined
  return (
    <EntranceForm
      action={t.ui.continue}
      busy={find.isPending}
      error={wrong ? null : find.error}
      focusFirst
      lead={t.recover.lead}
      links={
        <p>
          <Link href={entrances.create}>{t.bringBack.back}</Link>
        </p>
      }
      onSubmit={(field) =>
        find.mutate({
          identifier: field('identifier').trim().replace(/^@/, ''),
          secret: field('recoveryKey'),
        })
      }
      title={t.recover.title}
    >
      <Field exact hint={t.recover.identifierHint} label={t.recover.identifier} name="identifier" required />
      <Field
        error={wrong && (wrong.isPublic ? t.recover.keyIsPublic : t.recover.keyWrong)}
        hint={t.recover.keyHint}
        label={t.recover.key}
        mono
        name="recoveryKey"
        required
      />
    </EntranceForm>
  )
}

interface CreateHereProps extends RecoverProps {
  readonly found: Found
  onBack(): void
}

interface Attempt {
  readonly account: RecoveredAccount
  readonly adminPassword: string | undefined
}

function CreateHere({ found, server, onBack }: CreateHereProps) {
  const [, navigate] = useLocation()
  const former = handlesOf(found)[0]
  const canKeepHandle = former !== undefined && !isAtServer(found, former)
  const [keepsHandle, setKeepsHandle] = useState(false)
  const choice = useHandleChoice(server.availableUserDomains, former?.split('.')[0])
  const handle = keepsHandle && former !== undefined ? former : choice.handle
  const create = useMutation({
    mutationFn: ({ account, adminPassword }: Attempt) => createRecovered(found, account, adminPassword),
    onSuccess: ({ did }) => {
      switchTo(did)
      navigate(entrances.recoverData)
    },
  })
  const adminPassword = useAdminPassword(create.error)
  const submit = (field: Fields) => {
    if (!keepsHandle && choice.check.problem) return
    const account = {
      handle,
      password: field('newPassword'),
      email: field('email').trim() || undefined,
      inviteCode: field('inviteCode').trim() || undefined,
    }
    create.mutate({ account, adminPassword: field('adminPassword') || undefined })
  }
  return (
    <EntranceForm
      action={t.recover.sign}
      before={<FoundIdentity found={found} />}
      busy={create.isPending}
      error={adminPassword.explains ? null : create.error}
      focusFirst
      lead={t.recover.foundLead}
      links={
        <p>
          <Button onClick={onBack} size="s" variant="quiet">
            {t.ui.back}
          </Button>
        </p>
      }
      onSubmit={submit}
      title={t.recover.foundTitle}
    >
      {canKeepHandle && (
        <Switch
          checked={keepsHandle}
          hint={t.move.keepHandleHint}
          label={t.move.keepHandle(former)}
          onChange={setKeepsHandle}
        />
      )}
      {!keepsHandle && <HandleField choice={choice} />}
      <NewPasswordField label={t.move.newPassword} username={handle} />
      <Field autoComplete="email" label={t.ui.email} name="email" {...newEmail} />
      {server.inviteCodeRequired && !adminPassword.isAsked && (
        <Field hint={t.signUp.inviteHint} label={t.ui.inviteCode} mono name="inviteCode" required />
      )}
      {server.unclaimed === undefined && adminPassword.field}
    </EntranceForm>
  )
}

/** The identity, and which keys can undo what follows. */
function FoundIdentity({ found }: { readonly found: Found }) {
  const { did, server, strongerKeys, weakerKeys, replaces, until } = found
  return (
    <Stack>
      <Facts
        facts={{
          [t.ui.did]: did,
          [t.recover.names]: handlesOf(found).join(', ') || undefined,
          [t.recover.server]: server,
        }}
      />
      {until !== undefined && replaces > 0 && (
        <Notice variant="warn">{t.recover.replaces(replaces, until)}</Notice>
      )}
      {strongerKeys > 0 ? (
        <Notice variant="warn">{t.recover.stronger(strongerKeys)}</Notice>
      ) : (
        <Notice>{t.recover.strongest}</Notice>
      )}
      {weakerKeys > 0 && <p className="soft">{t.recover.weaker(weakerKeys)}</p>}
    </Stack>
  )
}

function handlesOf({ alsoKnownAs }: Found): string[] {
  return alsoKnownAs.flatMap((name) => (name.startsWith('at://') ? [name.slice('at://'.length)] : []))
}

/** Whether a handle is below the domain of the earlier server, and ends with it. */
function isAtServer({ server }: Found, handle: string): boolean {
  const host = URL.parse(server ?? '')?.hostname
  return host !== undefined && (handle === host || handle.endsWith(`.${host}`))
}
