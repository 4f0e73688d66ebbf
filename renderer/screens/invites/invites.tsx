import { Plus, Ticket } from 'lucide-react'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useIsOwner } from '../../api/account.ts'
import type { Body } from '../../api/client.ts'
import { usePublicXrpcQuery, useXrpcQuery } from '../../api/hooks.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { ConfirmDialog, DialogButton } from '../../ui/dialog.tsx'
import { Page, Row } from '../../ui/page.tsx'
import { Badge, EmptyState, LoadedList, Notice } from '../../ui/states.tsx'
import { RelativeTime, useNow } from '../../ui/time.tsx'
import { CreateInvitesDialog } from './create-invites-dialog.tsx'
import { InvitationDialog } from './invitation-dialog.tsx'

type InviteCode = Body<typeof com.core.server.getAccountInviteCodes.main>['codes'][number]

export function InvitesScreen() {
  const isOwner = useIsOwner()
  const list = useXrpcQuery(com.core.server.getAccountInviteCodes, {
    includeUsed: true,
    createAvailable: true,
  })
  const { data: server } = usePublicXrpcQuery(com.core.server.describeServer, {})
  const [created, setCreated] = useState<string>()
  const create = isOwner && (
    <DialogButton
      dialog={(close) => <CreateInvitesDialog onClose={close} onOne={setCreated} />}
      icon={<Plus aria-hidden size={16} />}
      variant="primary"
    >
      {t.invites.create}
    </DialogButton>
  )
  return (
    <Page
      action={list.data?.codes.length !== 0 && create}
      lead={isOwner ? t.invites.leadOwner : t.invites.lead}
      title={t.nav.invites}
    >
      {server?.inviteCodeRequired === false && <Notice>{t.invites.notRequired}</Notice>}
      <LoadedList
        empty={
          <EmptyState
            action={create}
            icon={Ticket}
            text={isOwner ? t.invites.noneOwner : t.invites.noneText}
            title={t.invites.none}
          />
        }
        itemsOf={({ codes }) => codes}
        label={t.invites.list}
        query={list}
        textOf={({ code, note = '' }) => `${code} ${note}`}
      >
        {(code) => <InviteRow canDisable={isOwner} invite={code} key={code.code} />}
      </LoadedList>
      {created && <InvitationDialog code={created} onClose={() => setCreated(undefined)} />}
    </Page>
  )
}

interface InviteRowProps {
  readonly invite: InviteCode
  readonly canDisable: boolean
}

function InviteRow({ invite, canDisable }: InviteRowProps) {
  const { code, available, disabled, createdAt, uses, note, expiresAt } = invite
  const now = useNow()
  const isExpired = expiresAt !== undefined && Date.parse(expiresAt) <= now
  const isUsable = !disabled && available > 0
  const isOpen = isUsable && !isExpired
  return (
    <Row
      action={
        isOpen && (
          <>
            <DialogButton
              aria-label={t.invites.showLabel(code)}
              dialog={(close) => <InvitationDialog code={code} onClose={close} />}
              size="s"
            >
              {t.invites.show}
            </DialogButton>
            {canDisable && (
              <DialogButton
                aria-label={t.invites.disableLabel(code)}
                dialog={(close) => <DisableDialog code={code} onClose={close} />}
                size="s"
              >
                {t.invites.disable}
              </DialogButton>
            )}
          </>
        )
      }
      as="li"
      detail={
        <>
          {t.ui.created} <RelativeTime at={createdAt} />
          {uses.length > 0 && <> · {t.invites.usedBy(uses.length)}</>}
          {isOpen && expiresAt && (
            <>
              {' · '}
              {t.invites.expires} <RelativeTime at={expiresAt} />
            </>
          )}
          {note && <div>{t.invites.noteOf(note)}</div>}
        </>
      }
      title={
        <>
          <code>{code}</code>
          {isOpen && <Badge variant="good">{t.invites.left(available)}</Badge>}
          {disabled && <Badge variant="warn">{t.invites.disabled}</Badge>}
          {isUsable && isExpired && <Badge>{t.invites.expired}</Badge>}
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
