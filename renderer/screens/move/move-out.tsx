import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { type Body, callAs } from '../../api/client.ts'
import { useProcedure, useXrpcQuery } from '../../api/hooks.ts'
import { hostOf } from '../../api/moves.ts'
import { useSession } from '../../api/sessions.ts'
import { NewPasswordField } from '../../parts/new-password-field.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { type Fields, Form } from '../../ui/form.tsx'
import { Page, Panel, Stack } from '../../ui/page.tsx'
import { FormError, Notice } from '../../ui/states.tsx'
import styles from './move.module.css'

type Target = Body<typeof com.core.move.describeServer.main>

/** Starts a move to another server: asks which one, then for the account there. */
export function MoveOut() {
  const { email } = useSession()
  const [target, setTarget] = useState<Target>()
  return (
    <Page lead={t.move.outLead} title={t.move.outTitle}>
      <Stack>
        {!email && <Notice variant="warn">{t.move.outNeedsEmail}</Notice>}
        <WhatMoves />
        {target ? (
          <AccountThere onBack={() => setTarget(undefined)} target={target} />
        ) : (
          <ChooseServer disabled={!email} onChosen={setTarget} />
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

function ChooseServer({
  disabled,
  onChosen,
}: {
  readonly disabled: boolean
  onChosen(target: Target): void
}) {
  const { did } = useSession()
  const describe = useMutation({
    mutationFn: (server: string) => callAs(did, com.core.move.describeServer, { params: { server } }),
    onSuccess: onChosen,
  })
  return (
    <Panel padded>
      <Form
        busy={disabled || describe.isPending}
        onSubmit={(field) => describe.mutate(field('server').trim())}
      >
        <Stack>
          <Field
            autoCapitalize="none"
            autoComplete="off"
            hint={t.move.outServerHint}
            inputMode="url"
            label={t.move.outServer}
            name="server"
            required
            spellCheck={false}
          />
          <FormError error={describe.error} />
          <div className={styles.buttons}>
            <Button busy={describe.isPending} disabled={disabled} type="submit" variant="primary">
              {t.move.find}
            </Button>
          </div>
        </Stack>
      </Form>
    </Panel>
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
    <Panel padded>
      <Form busy={start.isPending} onSubmit={submit}>
        <Stack>
          <h2>{t.move.outAccountTitle(host)}</h2>
          <Field
            autoCapitalize="none"
            autoComplete="off"
            autoFocus
            defaultValue={target.handle}
            label={t.move.outHandle}
            name="handle"
            required
            spellCheck={false}
          />
          <NewPasswordField label={t.move.outPassword(host)} username={target.handle} />
          <Field
            autoComplete="email"
            defaultValue={own}
            label={t.move.email}
            name="email"
            required
            type="email"
          />
          {target.inviteCodeRequired && (
            <Field
              autoComplete="off"
              hint={t.move.outInviteHint(host)}
              label={t.move.outInvite}
              mono
              name="inviteCode"
              required
              spellCheck={false}
            />
          )}
          <FormError error={start.error} />
          <div className={styles.buttons}>
            <Button busy={start.isPending} type="submit" variant="primary">
              {t.move.submit}
            </Button>
            <Button onClick={onBack} variant="quiet">
              {t.move.back}
            </Button>
          </div>
        </Stack>
      </Form>
    </Panel>
  )
}
