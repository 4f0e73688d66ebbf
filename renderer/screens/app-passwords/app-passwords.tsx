import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Page, Row, RowList } from '../../ui/page.tsx'
import { Badge, EmptyState, Loaded } from '../../ui/states.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { CreateDialog } from './create-dialog.tsx'

type AppPassword = Body<typeof com.core.server.listAppPasswords.main>['passwords'][number]

export function AppPasswordsScreen() {
  const list = useXrpcQuery(com.core.server.listAppPasswords, {})
  const [isCreating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<AppPassword>()
  const create = (
    <Button icon={<Plus aria-hidden size={16} />} variant="primary" onClick={() => setCreating(true)}>
      {t.appPasswords.create}
    </Button>
  )
  return (
    <Page
      action={list.data?.passwords.length !== 0 && create}
      lead={t.appPasswords.lead}
      title={t.appPasswords.title}
    >
      <Loaded query={list}>
        {({ passwords }) =>
          passwords.length === 0 ? (
            <EmptyState action={create} icon={<KeyRound aria-hidden size={28} />} title={t.appPasswords.none}>
              {t.appPasswords.noneText}
            </EmptyState>
          ) : (
            <RowList label={t.appPasswords.list}>
              {passwords.map((one) => (
                <AppPasswordRow key={one.name} onRevoke={() => setRevoking(one)} value={one} />
              ))}
            </RowList>
          )
        }
      </Loaded>
      {isCreating && (
        <CreateDialog
          onClose={() => setCreating(false)}
          usedNames={list.data?.passwords.map(({ name }) => name) ?? []}
        />
      )}
      {revoking && <RevokeDialog name={revoking.name} onClose={() => setRevoking(undefined)} />}
    </Page>
  )
}

function AppPasswordRow({ value, onRevoke }: { readonly value: AppPassword; onRevoke(): void }) {
  const { name, createdAt, lastUsedAt, privileged } = value
  return (
    <Row
      action={
        <Button aria-label={t.appPasswords.revokeLabel(name)} onClick={onRevoke} size="s">
          {t.appPasswords.revoke}
        </Button>
      }
      as="li"
      detail={
        <>
          {t.appPasswords.created} <RelativeTime at={createdAt} />
          {' · '}
          {lastUsedAt ? (
            <>
              {t.appPasswords.used} <RelativeTime at={lastUsedAt} />
            </>
          ) : (
            t.appPasswords.never
          )}
        </>
      }
      title={
        <>
          {name} {privileged && <Badge variant="warn">{t.appPasswords.privileged}</Badge>}
        </>
      }
    />
  )
}

function RevokeDialog({ name, onClose }: { readonly name: string; onClose(): void }) {
  const revoke = useDialogAction(com.core.server.revokeAppPassword, {
    invalidates: [com.core.server.listAppPasswords, com.core.server.listSessions],
    input: () => ({ name }),
    done: t.appPasswords.revoked(name),
    onClose,
  })
  return (
    <ConfirmDialog {...revoke} action={t.appPasswords.revoke} title={t.appPasswords.revokeTitle(name)}>
      {t.appPasswords.revokeText}
    </ConfirmDialog>
  )
}
