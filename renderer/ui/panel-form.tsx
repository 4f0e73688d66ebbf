import type { ReactNode } from 'react'
import { Button, type ButtonProps } from './button.tsx'
import { Form, type FormProps } from './form.tsx'
import { Panel, Stack } from './page.tsx'
import styles from './panel-form.module.css'
import { FormError } from './states.tsx'

interface PanelFormProps extends Omit<FormProps, 'action'> {
  /** The label of the submit button, a verb. */
  readonly action: string
  readonly variant?: ButtonProps['variant']
  readonly disabled?: boolean
  readonly error: unknown
  /** Beside the submit button. */
  readonly more?: ReactNode
}

/** A framed form, with its error and its buttons. */
export function PanelForm(props: PanelFormProps) {
  const { title, action, variant = 'primary', busy, disabled = false, error, more, children, ...form } = props
  return (
    <Panel padded>
      <Form {...form} busy={busy || disabled}>
        <Stack>
          {title && <h2>{title}</h2>}
          {children}
          <FormError error={error} />
          <div className={styles.foot}>
            <Button busy={busy} disabled={disabled} type="submit" variant={variant}>
              {action}
            </Button>
            {more}
          </div>
        </Stack>
      </Form>
    </Panel>
  )
}
