import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { accountQueries, type ListedAccount } from './listed-account.ts'

interface StatusDialogProps {
  readonly account: ListedAccount
  readonly to: 'suspend' | 'takedown'
  onClose(): void
}

const words = {
  suspend: {
    title: t.accounts.suspendTitle,
    text: t.accounts.suspendText,
    action: t.accounts.suspend,
    done: t.accounts.suspended,
  },
  takedown: {
    title: t.accounts.takedownTitle,
    text: t.accounts.takedownText,
    action: t.accounts.takedown,
    done: t.accounts.takendown,
  },
}

/** Suspends an account or takes it down, with a note. */
export function StatusDialog({ account: { did, handle }, to, onClose }: StatusDialogProps) {
  const [note, setNote] = useState('')
  const { title, text, action, done } = words[to]
  const update = useProcedure(com.core.admin.updateSubjectStatus, accountQueries, {
    onSuccess: () => {
      toast(done(handle))
      onClose()
    },
  })
  const submit = () => {
    const state = { applied: true, ref: note.trim() || undefined }
    const subject = { $type: 'com.core.admin.defs#repoRef' as const, did }
    update.mutate({ subject, ...(to === 'suspend' ? { suspended: state } : { takedown: state }) })
  }
  return (
    <FormDialog
      action={action}
      busy={update.isPending}
      error={update.error}
      variant="danger"
      onClose={onClose}
      onSubmit={submit}
      title={title(handle)}
    >
      <p>{text}</p>
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
