import { type FormEvent, type ReactNode, useState } from 'react'
import { t } from '../strings/en.ts'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { Field } from './field.tsx'
import { Stack } from './page.tsx'
import { FormError } from './states.tsx'

interface ConfirmDialogProps {
  /** A question. */
  readonly title: string
  /** The consequences. */
  readonly children: ReactNode
  /** The label of the button, a verb. */
  readonly action: string
  /** Text that must be typed to enable the button. */
  readonly typed?: { readonly label: string; readonly text: string }
  /** False disables the button. */
  readonly ready?: boolean
  readonly busy: boolean
  readonly error: unknown
  onConfirm(): void
  onClose(): void
}

/** Asks for confirmation of an action that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, action, typed, ready = true, busy, error, onConfirm, onClose } = props
  const [text, setText] = useState('')
  const isTyped = typed === undefined || text.trim().toLowerCase() === typed.text.toLowerCase()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (ready && isTyped && !busy) onConfirm()
  }
  return (
    <Dialog onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack>
          <div>{children}</div>
          {typed && (
            <Field
              autoComplete="off"
              label={typed.label}
              onChange={(event) => setText(event.target.value)}
              required
              spellCheck={false}
              value={text}
            />
          )}
          <FormError error={error} />
        </Stack>
        <DialogActions>
          <Button onClick={onClose}>{t.ui.cancel}</Button>
          <Button busy={busy} disabled={!ready || !isTyped} look="danger" type="submit">
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
