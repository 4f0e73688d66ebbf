import { app } from '../../../lexicons/generated/index.ts'
import { putBirthDate } from '../../api/birth-date.ts'
import { t } from '../../strings/en.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { useDialogWork } from '../dialog-action.ts'
import { BirthDateField } from './birth-date-field.tsx'

interface BirthDateDialogProps {
  /** The stored date. */
  readonly date?: string | undefined
  onClose(): void
}

/** Adds or changes the birth date of the account. */
export function BirthDateDialog({ date, onClose }: BirthDateDialogProps) {
  const change = useDialogWork({
    run: (field, did) => putBirthDate(did, field('birthDate')),
    invalidates: [app.example.actor.getPreferences],
    done: t.birthDate.done,
    onClose,
  })
  return (
    <FormDialog
      {...change}
      action={t.ui.save}
      title={date === undefined ? t.birthDate.add : t.birthDate.change}
    >
      <BirthDateField defaultValue={date} required />
    </FormDialog>
  )
}
