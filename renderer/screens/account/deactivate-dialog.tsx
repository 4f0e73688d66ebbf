import type { DatetimeString } from '@atproto/lex-schema'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { toast } from '../../ui/toast.tsx'

export function DeactivateDialog({ onClose }: { onClose(): void }) {
  const [day, setDay] = useState('')
  const deactivate = useProcedure(
    com.core.server.deactivateAccount,
    [com.core.server.getSession, com.core.server.checkAccountStatus],
    {
      onSuccess: () => {
        toast(t.account.deactivatedToast)
        onClose()
      },
    },
  )
  return (
    <FormDialog
      action={t.account.deactivateSubmit}
      busy={deactivate.isPending}
      error={deactivate.error}
      variant="danger"
      onClose={onClose}
      onSubmit={() => deactivate.mutate(day === '' ? {} : { deleteAfter: startOf(day) })}
      title={t.account.deactivateTitle}
    >
      <p>{t.account.deactivateText}</p>
      <Field
        hint={t.account.deactivateDateHint}
        label={t.account.deactivateDate}
        min={tomorrow()}
        onChange={(event) => setDay(event.target.value)}
        type="date"
        value={day}
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
