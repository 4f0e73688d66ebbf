import type { DatetimeString } from '@atproto/lex-schema'
import { com } from '../../../lexicons/generated/index.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'

export function DeactivateDialog({ onClose }: { onClose(): void }) {
  const deactivate = useDialogAction(com.core.server.deactivateAccount, {
    invalidates: [com.core.server.getSession, com.core.server.checkAccountStatus],
    input: (field) => (field('day') === '' ? {} : { deleteAfter: startOf(field('day')) }),
    done: t.account.deactivatedToast,
    onClose,
  })
  return (
    <FormDialog
      {...deactivate}
      action={t.account.deactivateSubmit}
      title={t.account.deactivateTitle}
      variant="danger"
    >
      <p>{t.account.deactivateText}</p>
      <Field
        hint={t.account.deactivateDateHint}
        label={t.account.deactivateDate}
        min={tomorrow()}
        name="day"
        type="date"
      />
    </FormDialog>
  )
}

/** Midnight at the start of a day in local time. @param day such as `2026-11-21` */
function startOf(day: string): DatetimeString {
  return new Date(`${day}T00:00`).toISOString() as DatetimeString
}

function tomorrow(): string {
  const at = new Date()
  at.setDate(at.getDate() + 1)
  // The Swedish date format is that of date inputs.
  return at.toLocaleDateString('sv')
}
