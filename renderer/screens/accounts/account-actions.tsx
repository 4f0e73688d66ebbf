import { Ban, CirclePlay, Ellipsis, KeyRound, PauseCircle, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { explain } from '../../api/errors.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { toast } from '../../ui/toast.tsx'
import type { ListedAccount } from './listed-account.ts'
import { RemoveDialog } from './remove-dialog.tsx'
import { SetPasswordDialog } from './set-password-dialog.tsx'
import { StatusDialog } from './status-dialog.tsx'

/** The menu of owner actions for another account. */
export function AccountActions({ account }: { readonly account: ListedAccount }) {
  const { did, handle, status } = account
  const [open, setOpen] = useState<'suspend' | 'takedown' | 'password' | 'remove'>()
  const close = () => setOpen(undefined)
  const lift = useProcedure(com.core.admin.updateSubjectStatus, [com.core.admin.listAccounts], {
    onSuccess: () => toast(t.accounts.lifted(handle)),
    onError: (error) => toast(explain(error)),
  })
  const subject = { $type: 'com.core.admin.defs#repoRef' as const, did }
  return (
    <>
      <Menu label={t.accounts.menu(handle)} trigger={<Ellipsis aria-hidden size={18} />}>
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
        <MenuSeparator />
        <MenuItem danger icon={<Trash2 aria-hidden size={16} />} onSelect={() => setOpen('remove')}>
          {t.accounts.remove}
        </MenuItem>
      </Menu>
      {(open === 'suspend' || open === 'takedown') && (
        <StatusDialog account={account} onClose={close} to={open} />
      )}
      {open === 'password' && <SetPasswordDialog account={account} onClose={close} />}
      {open === 'remove' && <RemoveDialog account={account} onClose={close} />}
    </>
  )
}
