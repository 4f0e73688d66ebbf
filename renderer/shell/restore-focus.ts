/**
 * Restores the focus when the focused element is removed: to the same control of the next row, or to the heading of the
 * screen. Browsers would move it to the start of the document.
 */
import { useEffect } from 'react'

interface Place {
  readonly element: Element
  /** Its row and the neighbours, in the order in which they are tried. */
  readonly rows: readonly Element[]
  /** The index among the controls of its row. */
  readonly at: number
}

/** Used once, by the app. */
export function useRestoreFocus(): void {
  useEffect(() => {
    let last: Place | undefined
    const note = ({ target }: FocusEvent) => {
      last = placeOf(target as Element)
    }
    const watch = new MutationObserver(() => {
      if (!last || last.element.isConnected || document.activeElement !== document.body) return
      replacementFor(last)?.focus({ preventScroll: true })
      last = undefined
    })
    document.addEventListener('focusin', note)
    watch.observe(document.body, { childList: true, subtree: true })
    return () => {
      document.removeEventListener('focusin', note)
      watch.disconnect()
    }
  }, [])
}

function placeOf(element: Element): Place {
  const row = element.closest('main li')
  if (!row) return { element, rows: [], at: 0 }
  const rows = [row, row.nextElementSibling, row.previousElementSibling].filter((one) => one !== null)
  return { element, rows, at: controlsOf(row).indexOf(element as HTMLElement) }
}

function replacementFor({ rows, at }: Place): HTMLElement | null {
  const controls = rows.filter((row) => row.isConnected).map(controlsOf)
  const [beside] = controls.filter(({ length }) => length > 0)
  return beside?.at(at) ?? beside?.at(-1) ?? document.querySelector<HTMLElement>('main h1')
}

function controlsOf(row: Element): HTMLElement[] {
  const controls = row.querySelectorAll<HTMLElement>('a, button, input, select, summary')
  return [...controls].filter((control) => control.checkVisibility())
}
