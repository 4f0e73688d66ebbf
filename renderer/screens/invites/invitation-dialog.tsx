import { Link } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { useIsOwner } from '../../api/account.ts'
import { endpoint, isAtServer } from '../../api/endpoint.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { invitationPath } from '../../entrances.ts'
import { t } from '../../strings/en.ts'
import { CopyField } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Panel, Stack } from '../../ui/page.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { Loaded, Notice } from '../../ui/states.tsx'
import styles from './invitation.module.css'

interface InvitationDialogProps {
  readonly code: string
  onClose(): void
}

/** An invite code as a link that opens the sign-up with it. */
export function InvitationDialog({ code, onClose }: InvitationDialogProps) {
  return (
    <Dialog onClose={onClose} title={t.invites.invitation}>
      {useIsOwner() ? <OwnersInvitation code={code} /> : <Invitation address={endpoint} code={code} />}
    </Dialog>
  )
}

/** Only the owner may read how others reach the server. */
function OwnersInvitation({ code }: { readonly code: string }) {
  const query = useXrpcQuery(com.core.admin.getNetwork, {})
  return (
    <Loaded query={query} rows={2}>
      {({ publicUrl, addresses }) => (
        <Invitation
          address={publicUrl ?? addresses[0] ?? endpoint}
          code={code}
          reach={publicUrl ? 'everyone' : addresses[0] ? 'localNetwork' : isAtServer && 'thisComputer'}
        />
      )}
    </Loaded>
  )
}

interface InvitationProps {
  readonly address: string
  readonly code: string
  /** Who can open the link, if that is known. */
  readonly reach?: 'everyone' | 'localNetwork' | 'thisComputer' | false
}

function Invitation({ address, code, reach }: InvitationProps) {
  const link = `${address.replace(/\/$/, '')}/#${invitationPath(code)}`
  return (
    <Stack>
      <p>{t.invites.invitationText}</p>
      {reach === 'thisComputer' && (
        <Notice action={<Link href="/network">{t.nav.network}</Link>} variant="warn">
          {t.invites.onlyHere}
        </Notice>
      )}
      {reach === 'localNetwork' && <Notice>{t.invites.onlyNetwork}</Notice>}
      <div className={styles.qr}>
        <QrCode label={t.invites.qr} text={link} />
      </div>
      <Panel>
        <CopyField label={t.invites.copyLink} name={t.invites.link} text={link} />
        <CopyField label={t.invites.copy} name={t.ui.inviteCode} text={code} />
      </Panel>
    </Stack>
  )
}
