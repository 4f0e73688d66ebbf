import { com } from '../../../lexicons/generated/index.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
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
  const { title, text, action, done } = words[to]
  const update = useDialogAction(com.core.admin.updateSubjectStatus, {
    invalidates: accountQueries,
    input: (field) => {
      const state = { applied: true, ref: field('note').trim() || undefined }
      const subject = { $type: 'com.core.admin.defs#repoRef' as const, did }
      return { subject, ...(to === 'suspend' ? { suspended: state } : { takedown: state }) }
    },
    done: done(handle),
    onClose,
  })
  return (
    <FormDialog {...update} action={action} title={title(handle)} variant="danger">
      <p>{text}</p>
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
