import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { accountQueries, type ListedAccount } from './listed-account.ts'

interface InvitesDialogProps {
  readonly account: ListedAccount
  onClose(): void
}

/** Stops earned invite codes for an account, with a note. */
export function InvitesDialog({ account: { did, handle }, onClose }: InvitesDialogProps) {
  const [note, setNote] = useState('')
  const disable = useProcedure(com.core.admin.disableAccountInvites, accountQueries, {
    onSuccess: () => {
      toast(t.accounts.invitesDisabled(handle))
      onClose()
    },
  })
  return (
    <FormDialog
      action={t.accounts.disableInvitesSubmit}
      busy={disable.isPending}
      error={disable.error}
      onClose={onClose}
      onSubmit={() => disable.mutate({ account: did, note: note.trim() || undefined })}
      title={t.accounts.disableInvitesTitle(handle)}
    >
      <p>{t.accounts.disableInvitesText}</p>
      <Field
        autoComplete="off"
        hint={t.accounts.noteHint}
        label={t.accounts.note}
        maxLength={1000}
        onChange={(event) => setNote(event.target.value)}
        value={note}
      />
    </FormDialog>
  )
}
