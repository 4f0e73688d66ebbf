import { X } from 'lucide-react'
import { createStore, useStore } from '../api/store.ts'
import { t } from '../strings/en.ts'
import { Button, IconButton } from './button.tsx'
import styles from './toast.module.css'

interface Toast {
  readonly id: number
  readonly text: string
  readonly undo?: (() => void) | undefined
}

const toasts = createStore<readonly Toast[]>([])
const shownForMs = 6000
/** Undo needs time to be found, and to be reached by keyboard. */
const undoForMs = 12_000
let lastId = 0

/** Says in passing that something is done. @param undo takes it back */
export function toast(text: string, undo?: () => void): void {
  const id = ++lastId
  toasts.set([...toasts.get().slice(-2), { id, text, undo }])
  setTimeout(() => dismiss(id), undo ? undoForMs : shownForMs)
}

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id))
}

/** Where toasts appear; also speaks them. In the page once. */
export function Toasts() {
  const shown = useStore(toasts)
  return (
    <output aria-live="polite" className={styles.region}>
      {shown.map(({ id, text, undo }) => (
        <div className={styles.toast} key={id}>
          <span className={styles.text}>{text}</span>
          {undo && (
            <Button
              look="quiet"
              onClick={() => {
                undo()
                dismiss(id)
              }}
              size="s"
            >
              {t.ui.undo}
            </Button>
          )}
          <IconButton
            icon={<X aria-hidden size={16} />}
            label={t.ui.dismiss}
            onClick={() => dismiss(id)}
            size="s"
          />
        </div>
      ))}
    </output>
  )
}
