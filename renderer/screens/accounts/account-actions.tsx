import {
  AtSign,
  Ban,
  CirclePlay,
  Ellipsis,
  KeyRound,
  type LucideIcon,
  Mail,
  MailPlus,
  PauseCircle,
  ShieldOff,
  Ticket,
  TicketX,
  Trash2,
} from 'lucide-react'
import { type ComponentType, useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import {
  type AccountDialogProps,
  EmailDialog,
  FactorsDialog,
  HandleDialog,
  InvitesDialog,
  MessageDialog,
  PasswordDialog,
  RemoveDialog,
  SuspendDialog,
  TakedownDialog,
} from './account-dialogs.tsx'
import { accountQueries, type ListedAccount, subjectOf } from './listed-account.ts'

interface ActionProps {
  readonly icon: LucideIcon
  readonly name: string
  readonly danger?: boolean
  onSelect(): void
}

function Action({ icon: Icon, name, ...item }: ActionProps) {
  return (
    <MenuItem icon={<Icon aria-hidden size={16} />} {...item}>
      {name}
    </MenuItem>
  )
}

/** The menu of owner actions for another account. */
export function AccountActions({ account }: { readonly account: ListedAccount }) {
  const { did, handle, status, email, invitesDisabled, activation } = account
  const [OpenDialog, setOpenDialog] = useState<ComponentType<AccountDialogProps>>()
  const opens = (dialog: ComponentType<AccountDialogProps>) => () => setOpenDialog(() => dialog)
  const update = useProcedure(com.core.admin.updateSubjectStatus, accountQueries, {
    onSuccess: (_, { deactivated }) =>
      toast(deactivated ? t.accounts.activated(handle) : t.accounts.lifted(handle)),
    onError: toastError,
  })
  const enableInvites = useProcedure(com.core.admin.enableAccountInvites, accountQueries, {
    onSuccess: () => toast(t.accounts.invitesEnabled(handle)),
    onError: toastError,
  })
  const lift = (state: 'deactivated' | 'suspended' | 'takedown') => () =>
    update.mutate({ subject: subjectOf(account), [state]: { applied: false } })
  return (
    <>
      <Menu label={t.accounts.menu(handle)} trigger={<Ellipsis aria-hidden size={18} />}>
        {status === 'deactivated' && activation && activation.kept !== 'move' && (
          <Action icon={CirclePlay} name={t.accounts.activate} onSelect={lift('deactivated')} />
        )}
        {status === 'suspended' && (
          <Action icon={CirclePlay} name={t.accounts.unsuspend} onSelect={lift('suspended')} />
        )}
        {status === 'takendown' && (
          <Action icon={CirclePlay} name={t.accounts.untakedown} onSelect={lift('takedown')} />
        )}
        {status !== 'suspended' && status !== 'takendown' && (
          <Action icon={PauseCircle} name={t.accounts.suspend} onSelect={opens(SuspendDialog)} />
        )}
        {status !== 'takendown' && (
          <Action icon={Ban} name={t.accounts.takedown} onSelect={opens(TakedownDialog)} />
        )}
        <Action icon={KeyRound} name={t.accounts.setPassword} onSelect={opens(PasswordDialog)} />
        <Action icon={ShieldOff} name={t.accounts.removeFactors} onSelect={opens(FactorsDialog)} />
        <Action icon={Mail} name={t.accounts.changeEmail} onSelect={opens(EmailDialog)} />
        <Action icon={AtSign} name={t.accounts.changeHandle} onSelect={opens(HandleDialog)} />
        {email !== undefined && (
          <Action icon={MailPlus} name={t.accounts.message} onSelect={opens(MessageDialog)} />
        )}
        {invitesDisabled ? (
          <Action
            icon={Ticket}
            name={t.accounts.enableInvites}
            onSelect={() => enableInvites.mutate({ account: did })}
          />
        ) : (
          <Action icon={TicketX} name={t.accounts.disableInvites} onSelect={opens(InvitesDialog)} />
        )}
        <MenuSeparator />
        <Action danger icon={Trash2} name={t.accounts.remove} onSelect={opens(RemoveDialog)} />
      </Menu>
      {OpenDialog && <OpenDialog account={account} onClose={() => setOpenDialog(undefined)} />}
    </>
  )
}
