import { X } from 'lucide-react'
import { Link } from 'wouter'
import { explain } from '../api/call-errors.ts'
import { createStore, useStore } from '../store.ts'
import { t } from '../strings/en.ts'
import { Button, IconButton } from './button.tsx'
import styles from './toast.module.css'

interface Toast {
  readonly id: number
  readonly text: string
  readonly undo?: (() => void) | undefined
  /** The path of the screen that shows more. */
  readonly href?: string | undefined
}

const toasts = createStore<readonly Toast[]>([])
const maxShown = 3
const shownForMs = 6000
/** Toasts with a button or a link stay longer, so that it can be reached by keyboard. */
const actionForMs = 12_000
let lastId = 0

/** Shows a short message. @param undo called by its undo button @param href path of the screen that its link opens */
export function toast(text: string, undo?: () => void, href?: string): void {
  const id = ++lastId
  toasts.set([...withoutSurplus(toasts.get()), { id, text, undo, href }])
  expire(id, undo || href !== undefined ? actionForMs : shownForMs)
}

/** Shows the message of an error. */
export function toastError(error: unknown): void {
  toast(explain(error))
}

/** Makes room for a further toast: by the oldest, first of those without Undo: Undo is offered once. */
function withoutSurplus(shown: readonly Toast[]): readonly Toast[] {
  if (shown.length < maxShown) return shown
  const surplus = shown.find(({ undo }) => undo === undefined) ?? shown[0]
  return shown.filter((one) => one !== surplus)
}

/** A toast with hover or focus does not expire. */
function expire(id: number, afterMs: number): void {
  setTimeout(() => {
    if (document.querySelector(`.${styles.region}:is(:hover, :focus-within)`)) expire(id, shownForMs)
    else dismiss(id)
  }, afterMs)
}

/** Runs the undo of the latest toast that has one. */
export function undoLatest(): void {
  const latest = toasts.get().findLast(({ undo }) => undo !== undefined)
  if (latest) runUndo(latest)
}

function runUndo({ id, undo }: Toast): void {
  undo?.()
  dismiss(id)
}

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id))
}

/** The live region of all toasts. Rendered once. */
export function Toasts() {
  const shown = useStore(toasts)
  return (
    <output aria-live="polite" className={styles.region}>
      {shown.map((one) => (
        <div className={styles.toast} key={one.id}>
          <span className={styles.text}>{one.text}</span>
          {one.href !== undefined && <Link href={one.href}>{t.ui.view}</Link>}
          {one.undo && (
            <Button variant="quiet" onClick={() => runUndo(one)} size="s">
              {t.ui.undo}
            </Button>
          )}
          <IconButton
            icon={<X aria-hidden size={16} />}
            label={t.ui.dismiss}
            onClick={() => dismiss(one.id)}
            size="s"
          />
        </div>
      ))}
    </output>
  )
}
