import { type ComponentType, useRef } from 'react'
import { explain } from '../api/call-errors.ts'
import styles from './add-form.module.css'
import { Button } from './button.tsx'
import { Field, type FieldProps } from './field.tsx'
import { Form } from './form.tsx'

interface AddFormProps extends Omit<FieldProps, 'onSubmit' | 'error'> {
  /** The label of the button, a verb. */
  readonly action: string
  readonly busy: boolean
  /** Description of the work while it is busy. Announced by screen readers. */
  readonly busyText: string
  readonly problem: unknown
  /** Replaces the text field by one of the same properties. */
  readonly as?: ComponentType<FieldProps>
  /** Adds the text. The form is emptied on success. */
  onSubmit(text: string, callbacks: { onSuccess(): void }): void
}

/** A field with a button beside it, which adds the entered value to the list below. */
export function AddForm({
  action,
  busy,
  busyText,
  problem,
  onSubmit,
  as: Input = Field,
  ...field
}: AddFormProps) {
  const form = useRef<HTMLFormElement>(null)
  return (
    <Form
      busy={busy}
      className={styles.form}
      onSubmit={(read) => onSubmit(read('added').trim(), { onSuccess: () => form.current?.reset() })}
      ref={form}
    >
      <Input {...field} error={problem ? explain(problem) : undefined} exact name="added" required />
      <Button busy={busy} type="submit" variant="primary">
        {action}
      </Button>
      <p className={styles.status} role="status">
        {busy && busyText}
      </p>
    </Form>
  )
}
