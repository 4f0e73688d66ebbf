import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { type Fields, Form } from '../../ui/form.tsx'
import { Stack } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
import styles from './entrance.module.css'

interface EntranceFormProps {
  /** The fields. */
  readonly children: ReactNode
  /** The label of the submit button, a verb. */
  readonly action: string
  readonly busy: boolean
  readonly error: unknown
  /** Links to other screens, below the button. */
  readonly links: ReactNode
  /** Focuses the first field on mount. */
  readonly focusFirst?: boolean
  onSubmit(field: Fields): void
}

/** The form of a step: fields, error, submit button, links. */
export function EntranceForm(props: EntranceFormProps) {
  const { children, action, busy, error, links, focusFirst = false, onSubmit } = props
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (focusFirst) form.current?.querySelector('input')?.focus()
  }, [focusFirst])
  return (
    <Form busy={busy} onSubmit={onSubmit} ref={form}>
      <Stack>
        {children}
        <FormError error={error} />
        <Button busy={busy} className={styles.submit} variant="primary" type="submit">
          {action}
        </Button>
        {links}
      </Stack>
    </Form>
  )
}
