import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { type Body, callAs } from '../../api/client.ts'
import { useProcedure, useWork, useXrpcQuery } from '../../api/hooks.ts'
import { hostOf } from '../../api/moves.ts'
import { useSession } from '../../api/sessions.ts'
import { NewPasswordField } from '../../parts/account/new-password-field.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import type { Fields } from '../../ui/form.tsx'
import { Page, Stack } from '../../ui/page.tsx'
import { PanelForm } from '../../ui/panel-form.tsx'
import styles from './move.module.css'

type Target = Body<typeof com.core.move.describeServer.main>

/** Starts a move to another server: asks which one, then for the account there. */
export function MoveOut() {
  const [target, setTarget] = useState<Target>()
  return (
    <Page lead={t.move.outLead} title={t.move.out}>
      <Stack>
        <WhatMoves />
        {target ? (
          <AccountThere onBack={() => setTarget(undefined)} target={target} />
        ) : (
          <ChooseServer onChosen={setTarget} />
        )}
      </Stack>
    </Page>
  )
}

function WhatMoves() {
  const { data } = useXrpcQuery(com.core.server.getUsage, {})
  if (!data) return null
  const records = data.collections.reduce((sum, collection) => sum + collection.records, 0)
  return (
    <dl className={styles.facts}>
      <dt>{t.move.outFrom}</dt>
      <dd>{t.move.outCounts(records, data.blobs.count)}</dd>
    </dl>
  )
}

function ChooseServer({ onChosen }: { onChosen(target: Target): void }) {
  const describe = useWork(
    (did, server: string) => callAs(did, com.core.move.describeServer, { params: { server } }),
    [],
    { onSuccess: onChosen },
  )
  return (
    <PanelForm
      action={t.ui.continue}
      busy={describe.isPending}
      error={describe.error}
      onSubmit={(field) => describe.mutate(field('server').trim())}
    >
      <Field
        exact
        hint={t.move.outServerHint}
        inputMode="url"
        label={t.move.outServer}
        name="server"
        required
      />
    </PanelForm>
  )
}

function AccountThere({ target, onBack }: { readonly target: Target; onBack(): void }) {
  const host = hostOf(target.server)
  const { email: own = '' } = useSession()
  const start = useProcedure(com.core.move.moveOut, [com.core.move.getMove])
  const submit = (field: Fields) =>
    start.mutate({
      server: target.server,
      handle: field('handle').trim().toLowerCase(),
      password: field('newPassword'),
      email: field('email').trim() || undefined,
      inviteCode: field('inviteCode').trim() || undefined,
    })
  return (
    <PanelForm
      action={t.move.submit}
      busy={start.isPending}
      error={start.error}
      more={
        <Button onClick={onBack} variant="quiet">
          {t.ui.back}
        </Button>
      }
      onSubmit={submit}
      title={t.move.outAccountTitle(host)}
    >
      <Field exact autoFocus defaultValue={target.handle} label={t.move.outHandle} name="handle" required />
      <NewPasswordField label={t.move.outPassword(host)} username={target.handle} />
      <Field
        autoComplete="email"
        defaultValue={own}
        label={t.ui.email}
        name="email"
        required={own !== ''}
        type="email"
      />
      {target.inviteCodeRequired && (
        <Field hint={t.move.outInviteHint(host)} label={t.ui.inviteCode} mono name="inviteCode" required />
      )}
    </PanelForm>
  )
}
