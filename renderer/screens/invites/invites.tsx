import { Plus, Ticket } from 'lucide-react'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useIsOwner } from '../../api/account.ts'
import type { Body } from '../../api/client.ts'
import { usePublicXrpcQuery, useXrpcQuery } from '../../api/hooks.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Page, Row, RowList } from '../../ui/page.tsx'
import { Badge, EmptyState, Loaded, Notice } from '../../ui/states.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { CreateInvitesDialog } from './create-invites-dialog.tsx'

type InviteCode = Body<typeof com.core.server.getAccountInviteCodes.main>['codes'][number]

export function InvitesScreen() {
  const isOwner = useIsOwner()
  const list = useXrpcQuery(com.core.server.getAccountInviteCodes, {
    includeUsed: true,
    createAvailable: true,
  })
  const { data: server } = usePublicXrpcQuery(com.core.server.describeServer, {})
  const [isCreating, setCreating] = useState(false)
  const [disabling, setDisabling] = useState<string>()
  const create = isOwner && (
    <Button icon={<Plus aria-hidden size={16} />} variant="primary" onClick={() => setCreating(true)}>
      {t.invites.create}
    </Button>
  )
  return (
    <Page
      action={list.data?.codes.length !== 0 && create}
      lead={isOwner ? t.invites.leadOwner : t.invites.lead}
      title={t.invites.title}
    >
      {server?.inviteCodeRequired === false && <Notice>{t.invites.notRequired}</Notice>}
      <Loaded query={list}>
        {({ codes }) =>
          codes.length === 0 ? (
            <EmptyState action={create} icon={<Ticket aria-hidden size={28} />} title={t.invites.none}>
              {isOwner ? t.invites.noneOwner : t.invites.noneText}
            </EmptyState>
          ) : (
            <RowList label={t.invites.list}>
              {codes.map((code) => (
                <InviteRow
                  invite={code}
                  key={code.code}
                  onDisable={isOwner ? () => setDisabling(code.code) : undefined}
                />
              ))}
            </RowList>
          )
        }
      </Loaded>
      {isCreating && <CreateInvitesDialog onClose={() => setCreating(false)} />}
      {disabling && <DisableDialog code={disabling} onClose={() => setDisabling(undefined)} />}
    </Page>
  )
}

interface InviteRowProps {
  readonly invite: InviteCode
  /** Undefined if the account cannot disable codes. */
  readonly onDisable: (() => void) | undefined
}

function InviteRow({ invite, onDisable }: InviteRowProps) {
  const { code, available, disabled, createdAt, uses } = invite
  const isOpen = !disabled && available > 0
  return (
    <Row
      action={
        isOpen && (
          <>
            <CopyButton label={t.invites.copy} text={code} />
            {onDisable && (
              <Button aria-label={t.invites.disableLabel(code)} onClick={onDisable} size="s">
                {t.invites.disable}
              </Button>
            )}
          </>
        )
      }
      as="li"
      detail={
        <>
          {t.invites.created} <RelativeTime at={createdAt} />
          {uses.length > 0 && <> · {t.invites.usedBy(uses.length)}</>}
        </>
      }
      title={
        <>
          <code>{code}</code>
          {isOpen && <Badge variant="good">{t.invites.left(available)}</Badge>}
          {disabled && <Badge variant="warn">{t.invites.disabled}</Badge>}
          {!disabled && available === 0 && <Badge>{t.invites.usedUp}</Badge>}
        </>
      }
    />
  )
}

function DisableDialog({ code, onClose }: { readonly code: string; onClose(): void }) {
  const disable = useDialogAction(com.core.admin.disableInviteCodes, {
    invalidates: [com.core.server.getAccountInviteCodes],
    input: () => ({ codes: [code] }),
    done: t.invites.disabledToast,
    onClose,
  })
  return (
    <ConfirmDialog {...disable} action={t.invites.disable} title={t.invites.disableTitle}>
      {t.invites.disableText(code)}
    </ConfirmDialog>
  )
}
