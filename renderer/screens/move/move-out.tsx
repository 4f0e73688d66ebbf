import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { type Body, callAs } from '../../api/client.ts'
import { useProcedure, useXrpcQuery } from '../../api/hooks.ts'
import { hostOf } from '../../api/moves.ts'
import { useSession } from '../../api/sessions.ts'
import { NewPasswordField } from '../../parts/new-password-field.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
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
  const [address, setAddress] = useState('')
  const describe = useMutation({
    mutationFn: () => callAs(did, com.core.move.describeServer, { params: { server: address.trim() } }),
    onSuccess: onChosen,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!disabled && !describe.isPending) describe.mutate()
  }
  return (
    <Panel padded>
      <form onSubmit={submit}>
        <Stack>
          <Field
            autoCapitalize="none"
            autoComplete="off"
            hint={t.move.outServerHint}
            inputMode="url"
            label={t.move.outServer}
            onChange={(event) => setAddress(event.target.value)}
            required
            spellCheck={false}
            value={address}
          />
          <FormError error={describe.error} />
          <div className={styles.buttons}>
            <Button busy={describe.isPending} disabled={disabled} type="submit" variant="primary">
              {t.move.find}
            </Button>
          </div>
        </Stack>
      </form>
    </Panel>
  )
}

function AccountThere({ target, onBack }: { readonly target: Target; onBack(): void }) {
  const host = hostOf(target.server)
  const { email: own = '' } = useSession()
  const [handle, setHandle] = useState(target.handle)
  const [password, setPassword] = useState('')
  const [email, setEmail] = useState(own)
  const [inviteCode, setInviteCode] = useState('')
  const start = useProcedure(com.core.move.moveOut, [com.core.move.getMove])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (start.isPending) return
    start.mutate({
      server: target.server,
      handle: handle.trim().toLowerCase(),
      password,
      email: email.trim() || undefined,
      inviteCode: inviteCode.trim() || undefined,
    })
  }
  return (
    <Panel padded>
      <form onSubmit={submit}>
        <Stack>
          <h2>{t.move.outAccountTitle(host)}</h2>
          <Field
            autoCapitalize="none"
            autoComplete="off"
            autoFocus
            label={t.move.outHandle}
            onChange={(event) => setHandle(event.target.value)}
            required
            spellCheck={false}
            value={handle}
          />
          <NewPasswordField
            label={t.move.outPassword(host)}
            onChange={setPassword}
            username={handle}
            value={password}
          />
          <Field
            autoComplete="email"
            label={t.move.email}
            onChange={(event) => setEmail(event.target.value)}
            required
            type="email"
            value={email}
          />
          {target.inviteCodeRequired && (
            <Field
              autoComplete="off"
              hint={t.move.outInviteHint(host)}
              label={t.move.outInvite}
              mono
              onChange={(event) => setInviteCode(event.target.value)}
              required
              spellCheck={false}
              value={inviteCode}
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
      </form>
    </Panel>
  )
}
