import { com } from '../../../lexicons/generated/index.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { accountQueries, type ListedAccount } from './listed-account.ts'

interface InvitesDialogProps {
  readonly account: ListedAccount
  onClose(): void
}

/** Stops earned invite codes for an account, with a note. */
export function InvitesDialog({ account: { did, handle }, onClose }: InvitesDialogProps) {
  const disable = useDialogAction(com.core.admin.disableAccountInvites, {
    invalidates: accountQueries,
    input: (field) => ({ account: did, note: field('note').trim() || undefined }),
    done: t.accounts.invitesDisabled(handle),
    onClose,
  })
  return (
    <FormDialog
      {...disable}
      action={t.accounts.disableInvitesSubmit}
      title={t.accounts.disableInvitesTitle(handle)}
    >
      <p>{t.accounts.disableInvitesText}</p>
      <Field
        autoComplete="off"
        hint={t.accounts.noteHint}
        label={t.accounts.note}
        maxLength={1000}
        name="note"
      />
    </FormDialog>
  )
}
