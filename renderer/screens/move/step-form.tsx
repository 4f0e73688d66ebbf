import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { type Fields, Form } from '../../ui/form.tsx'
import { Panel, Stack } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
import styles from './move.module.css'

interface StepFormProps {
  readonly title?: string
  readonly action: string
  readonly busy: boolean
  readonly error: unknown
  readonly disabled?: boolean
  /** A further button. */
  readonly more?: ReactNode
  readonly children: ReactNode
  onSubmit(field: Fields): void
}

/** A framed form for something that a move needs. */
export function StepForm(props: StepFormProps) {
  const { title, action, busy, error, disabled = false, more, children, onSubmit } = props
  return (
    <Panel padded>
      <Form busy={busy || disabled} onSubmit={onSubmit}>
        <Stack>
          {title && <h2>{title}</h2>}
          {children}
          <FormError error={error} />
          <div className={styles.buttons}>
            <Button busy={busy} disabled={disabled} type="submit" variant="primary">
              {action}
            </Button>
            {more}
          </div>
        </Stack>
      </Form>
    </Panel>
  )
}
