import { useState } from 'react'
import { Field } from './field.tsx'
import { FormDialog, type FormDialogProps } from './form-dialog.tsx'

/** The title is a question; the children are the consequences. */
interface ConfirmDialogProps extends FormDialogProps {
  /** Text that must be typed to enable the button. */
  readonly typed?: { readonly label: string; readonly text: string }
}

/** Asks for confirmation of an action that cannot be undone. */
export function ConfirmDialog({ typed, disabled = false, children, ...dialog }: ConfirmDialogProps) {
  const [text, setText] = useState('')
  const isTyped = typed === undefined || text.trim().toLowerCase() === typed.text.toLowerCase()
  return (
    <FormDialog variant="danger" {...dialog} disabled={disabled || !isTyped}>
      <div>{children}</div>
      {typed && (
        <Field
          exact
          label={typed.label}
          onChange={(event) => setText(event.target.value)}
          required
          value={text}
        />
      )}
    </FormDialog>
  )
}
