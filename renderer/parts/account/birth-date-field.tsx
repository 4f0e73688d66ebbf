import { t } from '../../strings/en.ts'
import { Field, type FieldProps } from '../../ui/field.tsx'

/** Dates before it are typing errors. */
const earliest = '1900-01-01'

/** A birth date, in the past. */
export function BirthDateField(props: Pick<FieldProps, 'defaultValue' | 'required'>) {
  const today = new Date().toISOString().slice(0, earliest.length)
  return (
    <Field
      {...props}
      autoComplete="bday"
      hint={t.birthDate.hint}
      label={t.birthDate.title}
      max={today}
      min={earliest}
      name="birthDate"
      type="date"
    />
  )
}
