import { type FormEvent, type ReactNode, useState } from 'react'
import { t } from '../strings/en.ts'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { Field } from './field.tsx'
import { Stack } from './page.tsx'
import { FormError } from './states.tsx'

interface ConfirmDialogProps {
  /** The question. */
  readonly title: string
  /** What will happen. */
  readonly children: ReactNode
  /** What the button says: the verb. */
  readonly action: string
  /** Must be typed before it can be done. */
  readonly typed?: { readonly label: string; readonly text: string }
  /** Whether it can be done at all. */
  readonly ready?: boolean
  readonly busy: boolean
  readonly error: unknown
  onConfirm(): void
  onClose(): void
}

/** Asks before something that cannot be undone. */
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
