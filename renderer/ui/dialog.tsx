import { X } from 'lucide-react'
import { type ReactNode, type SyntheticEvent, useId, useLayoutEffect, useRef } from 'react'
import { t } from '../strings/en.ts'
import { IconButton } from './button.tsx'
import styles from './dialog.module.css'

interface DialogProps {
  readonly title: string
  readonly children: ReactNode
  /** Called when it is closed by Escape, the close button or a click beside it. */
  onClose(): void
  /** False where closing by accident would lose something: then only a button closes it. */
  readonly dismissible?: boolean
}

/** A modal dialog, open as long as it is rendered. The element brings focus in, keeps it, and gives it back. */
export function Dialog({ title, children, onClose, dismissible = true }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  // In the layout phase, for closing returns the focus only while the element is still in the page.
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    // What is to be filled in comes first, not the button that closes.
    dialog?.querySelector<HTMLElement>('form input:not([hidden]), form select')?.focus()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      aria-labelledby={titleId}
      className={styles.dialog}
      onCancel={(event) => {
        if (!isOwn(event)) return
        event.preventDefault()
        if (dismissible) onClose()
      }}
      // Chromium closes on the second Escape whatever `cancel` says.
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

/** A dialog within another one tells it, too: React lets these events rise, though the browser does not. */
function isOwn({ target, currentTarget }: SyntheticEvent): boolean {
  return target === currentTarget
}

/** The buttons at the foot of a dialog. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>
}
