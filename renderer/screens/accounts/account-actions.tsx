import {
  AtSign,
  Ban,
  CirclePlay,
  Ellipsis,
  KeyRound,
  Mail,
  MailPlus,
  PauseCircle,
  Ticket,
  TicketX,
  Trash2,
} from 'lucide-react'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { explain } from '../../api/errors.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { toast } from '../../ui/toast.tsx'
import { EmailDialog } from './email-dialog.tsx'
import { HandleDialog } from './handle-dialog.tsx'
import { InvitesDialog } from './invites-dialog.tsx'
import { accountQueries, type ListedAccount } from './listed-account.ts'
import { MessageDialog } from './message-dialog.tsx'
import { RemoveDialog } from './remove-dialog.tsx'
import { SetPasswordDialog } from './set-password-dialog.tsx'
import { StatusDialog } from './status-dialog.tsx'

type OpenDialog = 'suspend' | 'takedown' | 'password' | 'email' | 'handle' | 'message' | 'invites' | 'remove'

/** The menu of owner actions for another account. */
export function AccountActions({ account }: { readonly account: ListedAccount }) {
  const { did, handle, status, email, invitesDisabled, activation } = account
  const [open, setOpen] = useState<OpenDialog>()
  const close = () => setOpen(undefined)
  const lift = useProcedure(com.core.admin.updateSubjectStatus, accountQueries, {
    onSuccess: () => toast(t.accounts.lifted(handle)),
    onError: (error) => toast(explain(error)),
  })
  const activate = useProcedure(com.core.admin.updateSubjectStatus, accountQueries, {
    onSuccess: () => toast(t.accounts.activated(handle)),
    onError: (error) => toast(explain(error)),
  })
  const enableInvites = useProcedure(com.core.admin.enableAccountInvites, accountQueries, {
    onSuccess: () => toast(t.accounts.invitesEnabled(handle)),
    onError: (error) => toast(explain(error)),
  })
  const subject = { $type: 'com.core.admin.defs#repoRef' as const, did }
  return (
    <>
      <Menu label={t.accounts.menu(handle)} trigger={<Ellipsis aria-hidden size={18} />}>
        {status === 'deactivated' && activation && activation.kept !== 'move' && (
          <MenuItem
            icon={<CirclePlay aria-hidden size={16} />}
            onSelect={() => activate.mutate({ subject, deactivated: { applied: false } })}
          >
            {t.accounts.activate}
          </MenuItem>
        )}
        {status === 'suspended' && (
          <MenuItem
            icon={<CirclePlay aria-hidden size={16} />}
            onSelect={() => lift.mutate({ subject, suspended: { applied: false } })}
          >
            {t.accounts.unsuspend}
          </MenuItem>
        )}
        {status === 'takendown' && (
          <MenuItem
            icon={<CirclePlay aria-hidden size={16} />}
            onSelect={() => lift.mutate({ subject, takedown: { applied: false } })}
          >
            {t.accounts.untakedown}
          </MenuItem>
        )}
        {status !== 'suspended' && status !== 'takendown' && (
          <MenuItem icon={<PauseCircle aria-hidden size={16} />} onSelect={() => setOpen('suspend')}>
            {t.accounts.suspend}
          </MenuItem>
        )}
        {status !== 'takendown' && (
          <MenuItem icon={<Ban aria-hidden size={16} />} onSelect={() => setOpen('takedown')}>
            {t.accounts.takedown}
          </MenuItem>
        )}
        <MenuItem icon={<KeyRound aria-hidden size={16} />} onSelect={() => setOpen('password')}>
          {t.accounts.setPassword}
        </MenuItem>
        <MenuItem icon={<Mail aria-hidden size={16} />} onSelect={() => setOpen('email')}>
          {t.accounts.changeEmail}
        </MenuItem>
        <MenuItem icon={<AtSign aria-hidden size={16} />} onSelect={() => setOpen('handle')}>
          {t.accounts.changeHandle}
        </MenuItem>
        {email !== undefined && (
          <MenuItem icon={<MailPlus aria-hidden size={16} />} onSelect={() => setOpen('message')}>
            {t.accounts.message}
          </MenuItem>
        )}
        {invitesDisabled ? (
          <MenuItem
            icon={<Ticket aria-hidden size={16} />}
            onSelect={() => enableInvites.mutate({ account: did })}
          >
            {t.accounts.enableInvites}
          </MenuItem>
        ) : (
          <MenuItem icon={<TicketX aria-hidden size={16} />} onSelect={() => setOpen('invites')}>
            {t.accounts.disableInvites}
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem danger icon={<Trash2 aria-hidden size={16} />} onSelect={() => setOpen('remove')}>
          {t.accounts.remove}
        </MenuItem>
      </Menu>
      {(open === 'suspend' || open === 'takedown') && (
        <StatusDialog account={account} onClose={close} to={open} />
      )}
      {open === 'password' && <SetPasswordDialog account={account} onClose={close} />}
      {open === 'email' && <EmailDialog account={account} onClose={close} />}
      {open === 'handle' && <HandleDialog account={account} onClose={close} />}
      {open === 'message' && <MessageDialog account={account} onClose={close} />}
      {open === 'invites' && <InvitesDialog account={account} onClose={close} />}
      {open === 'remove' && <RemoveDialog account={account} onClose={close} />}
    </>
  )
}
