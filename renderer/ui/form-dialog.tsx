import { t } from '../strings/en.ts'
import { Button } from './button.tsx'
import { Dialog, DialogActions, type DialogProps } from './dialog.tsx'
import { type Fields, Form } from './form.tsx'
import { Stack } from './page.tsx'
import { FormError } from './states.tsx'

export interface FormDialogProps extends DialogProps {
  /** The label of the submit button, a verb. */
  readonly action: string
  readonly variant?: 'primary' | 'danger'
  readonly disabled?: boolean
  readonly busy: boolean
  readonly error: unknown
  onSubmit(field: Fields): void
}

/** A dialog with a form, its error, and buttons to cancel and submit. */
export function FormDialog(props: FormDialogProps) {
  const { children, action, variant = 'primary', disabled = false, busy, error, onSubmit, ...dialog } = props
  return (
    <Dialog {...dialog}>
      <Form busy={busy || disabled} onSubmit={onSubmit}>
        <Stack>
          {children}
          <FormError error={error} />
        </Stack>
        <DialogActions>
          <Button onClick={dialog.onClose}>{t.ui.cancel}</Button>
          <Button busy={busy} disabled={disabled} variant={variant} type="submit">
            {action}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
