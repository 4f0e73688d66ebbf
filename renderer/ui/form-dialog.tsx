import type { ReactNode } from 'react'
import { t } from '../strings/en.ts'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { type Fields, Form } from './form.tsx'
import { Stack } from './page.tsx'
import { FormError } from './states.tsx'

interface FormDialogProps {
  readonly title: string
  readonly children: ReactNode
  /** The label of the submit button, a verb. */
  readonly action: string
  readonly variant?: 'primary' | 'danger'
  readonly disabled?: boolean
  /** As of `Dialog`. */
  readonly wide?: boolean
  /** As of `Dialog`. */
  readonly dismissible?: boolean
  readonly busy: boolean
  readonly error: unknown
  onSubmit(field: Fields): void
  onClose(): void
}

/** A dialog with a form, its error, and buttons to cancel and submit. */
export function FormDialog(props: FormDialogProps) {
  const {
    title,
    children,
    action,
    variant = 'primary',
    disabled = false,
    wide,
    dismissible,
    busy,
    error,
    onSubmit,
    onClose,
  } = props
  return (
    <Dialog dismissible={dismissible} onClose={onClose} title={title} wide={wide}>
      <Form busy={busy || disabled} onSubmit={onSubmit}>
        <Stack>
          {children}
          <FormError error={error} />
        </Stack>
        <DialogActions>
          <Button onClick={onClose}>{t.ui.cancel}</Button>
          <Button busy={busy} disabled={disabled} variant={variant} type="submit">
            {action}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
