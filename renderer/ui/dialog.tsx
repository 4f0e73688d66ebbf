/** Modal dialogs: plain ones, forms, confirmations, and the button that opens one. */
import { X } from 'lucide-react'
import { type ReactNode, type SyntheticEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import { t } from '../strings/en.ts'
import { Button, type ButtonProps, IconButton } from './button.tsx'
import { classes } from './class-names.ts'
import styles from './dialog.module.css'
import { Field } from './field.tsx'
import { type Fields, Form } from './form.tsx'
import { Stack } from './page.tsx'
import { FormError } from './states.tsx'
import { useHold, useUnsaved } from './unsaved.ts'

interface DialogProps {
  readonly title: string
  readonly children: ReactNode
  /** For content with long lines. */
  readonly wide?: boolean | undefined
  /** Called on Escape, the close button, or a click on the backdrop. */
  onClose(): void
  /** It opens while the person does something else: then the close button has the focus. */
  readonly opensItself?: boolean | undefined
  /** False if closing by accident would lose data: then only a button closes it. */
  readonly dismissible?: boolean | undefined
}

/** A modal dialog, open while it is rendered. The native element traps and restores the focus. */
export function Dialog({
  title,
  children,
  wide = false,
  onClose,
  dismissible = true,
  opensItself = false,
}: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useHold(true)
  // A layout effect: `close` restores the focus only while the element is in the document.
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    // Focus the first field that can be changed, or else the primary button, not the close button.
    if (!opensItself)
      dialog
        ?.querySelector<HTMLElement>(
          'form input:not([hidden], [readonly]), form textarea, form select, [data-primary]',
        )
        ?.focus()
    return () => dialog?.close()
  }, [opensItself])
  return (
    <dialog
      aria-labelledby={titleId}
      className={classes(styles.dialog, wide && styles.wide)}
      onCancel={(event) => {
        if (!isOwn(event)) return
        event.preventDefault()
        if (dismissible) onClose()
      }}
      // Chromium closes on the second Escape even if `cancel` is prevented.
      onClose={(event) => {
        if (!isOwn(event)) return
        if (dismissible && ref.current) onClose()
        else ref.current?.showModal()
      }}
      ref={ref}
    >
      <div className={styles.head}>
        <h2 className={styles.title} id={titleId}>
          {title}
        </h2>
        {dismissible && (
          <IconButton icon={<X aria-hidden size={18} />} label={t.ui.close} onClick={onClose} size="s" />
        )}
      </div>
      {children}
    </dialog>
  )
}

/** Ignores events of nested dialogs: React bubbles them, the browser does not. */
function isOwn({ target, currentTarget }: SyntheticEvent): boolean {
  return target === currentTarget
}

/** The buttons of a dialog. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>
}

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
  const { onClose } = dialog
  const [isChanged, setChanged] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  // What is being sent is no longer lost, and a success may lead to another screen.
  useUnsaved(isChanged && !busy)
  return (
    <Dialog {...dialog} onClose={isChanged ? () => setLeaving(true) : onClose}>
      <Form
        busy={busy || disabled}
        onInput={({ target }) => setChanged((before) => before || isWorthKeeping(target))}
        onSubmit={onSubmit}
      >
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
      {isLeaving && <DiscardDialog onDiscard={onClose} onKeep={() => setLeaving(false)} />}
    </Dialog>
  )
}

/** Passwords and codes are typed again in a moment. */
function isWorthKeeping(target: EventTarget): boolean {
  const { type, autocomplete } = target as HTMLInputElement
  return type !== 'password' && autocomplete !== 'one-time-code'
}

interface DiscardDialogProps {
  onDiscard(): void
  onKeep(): void
}

/** Asks before text is lost by Escape, a click beside the dialog or its close button. Cancel says that it is. */
function DiscardDialog({ onDiscard, onKeep }: DiscardDialogProps) {
  return (
    <Dialog onClose={onKeep} title={t.leave.title}>
      <p>{t.leave.dialogText}</p>
      <DialogActions>
        <Button onClick={onDiscard}>{t.leave.leave}</Button>
        <Button data-primary onClick={onKeep} variant="primary">
          {t.leave.stay}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

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

interface DialogButtonProps extends ButtonProps {
  /** Renders the dialog. */
  dialog(close: () => void): ReactNode
}

/** A button that opens a dialog. */
export function DialogButton({ dialog, onClick, ...button }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        {...button}
        onClick={(event) => {
          onClick?.(event)
          setOpen(true)
        }}
      />
      {isOpen && dialog(() => setOpen(false))}
    </>
  )
}
