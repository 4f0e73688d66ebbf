import { X } from 'lucide-react'
import { type ReactNode, type SyntheticEvent, useId, useLayoutEffect, useRef } from 'react'
import { t } from '../strings/en.ts'
import { IconButton } from './button.tsx'
import { classes } from './class-names.ts'
import styles from './dialog.module.css'

export interface DialogProps {
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
  // A layout effect: `close` restores the focus only while the element is in the document.
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    // Focus the first field that can be changed, or else the primary button, not the close button.
    if (!opensItself)
      dialog
        ?.querySelector<HTMLElement>('form input:not([hidden], [readonly]), form select, [data-primary]')
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
