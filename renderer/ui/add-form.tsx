import { explain } from '../api/errors.ts'
import styles from './add-form.module.css'
import { Button } from './button.tsx'
import { Field, type FieldProps } from './field.tsx'
import { Form } from './form.tsx'

interface AddFormProps extends Omit<FieldProps, 'value' | 'onChange' | 'onSubmit' | 'error'> {
  readonly value: string
  /** The label of the button, a verb. */
  readonly action: string
  readonly busy: boolean
  /** Description of the work while it is busy. Announced by screen readers. */
  readonly busyText: string
  readonly problem: unknown
  onChange(value: string): void
  onSubmit(): void
}

/** A field with a button beside it, which adds the entered value to the list below. */
export function AddForm({
  value,
  action,
  busy,
  busyText,
  problem,
  onChange,
  onSubmit,
  ...field
}: AddFormProps) {
  return (
    <Form busy={busy} className={styles.form} onSubmit={onSubmit}>
      <Field
        {...field}
        autoCapitalize="none"
        autoComplete="off"
        error={problem ? explain(problem) : undefined}
        onChange={(event) => onChange(event.target.value)}
        required
        spellCheck={false}
        value={value}
      />
      <Button busy={busy} type="submit" variant="primary">
        {action}
      </Button>
      <p className={styles.status} role="status">
        {busy && busyText}
      </p>
    </Form>
  )
}
