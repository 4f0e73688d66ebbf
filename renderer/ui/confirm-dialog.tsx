import { type ReactNode, useState } from 'react'
import { Field } from './field.tsx'
import type { Fields } from './form.tsx'
import { FormDialog } from './form-dialog.tsx'

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
  onSubmit(field: Fields): void
  onClose(): void
}

/** Asks for confirmation of an action that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, action, typed, ready = true, busy, error, onSubmit, onClose } = props
  const [text, setText] = useState('')
  const isTyped = typed === undefined || text.trim().toLowerCase() === typed.text.toLowerCase()
  return (
    <FormDialog
      action={action}
      busy={busy}
      disabled={!ready || !isTyped}
      error={error}
      variant="danger"
      onClose={onClose}
      onSubmit={onSubmit}
      title={title}
    >
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
    </FormDialog>
  )
}
