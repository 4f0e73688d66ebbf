import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
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
  useEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      aria-labelledby={titleId}
      className={styles.dialog}
      onCancel={(event) => {
        event.preventDefault()
        if (dismissible) onClose()
      }}
      // Chromium closes on a second Escape whatever `cancel` says.
      onClose={dismissible ? onClose : undefined}
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

/** The buttons at the foot of a dialog. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>
}
