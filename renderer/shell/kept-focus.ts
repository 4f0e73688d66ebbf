/**
 * Where the focus goes when what had it is taken away, with its row or because it is not needed any more: to the same place in
 * the next row, or else to the heading of the screen. The browser itself would begin again at the top of the page.
 */
import { useEffect } from 'react'

interface Place {
  readonly element: Element
  /** Its row and those beside it, in the order in which they stand in for it. */
  readonly rows: readonly Element[]
  /** Which of the controls of its row it is. */
  readonly at: number
}

/** In the page once. */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: Place | undefined
    const note = ({ target }: FocusEvent) => {
      last = placeOf(target as Element)
    }
    const watch = new MutationObserver(() => {
      if (!last || last.element.isConnected || document.activeElement !== document.body) return
      standInFor(last)?.focus({ preventScroll: true })
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

function standInFor({ rows, at }: Place): HTMLElement | null {
  const controls = rows.filter((row) => row.isConnected).map(controlsOf)
  const [beside] = controls.filter(({ length }) => length > 0)
  return beside?.at(at) ?? beside?.at(-1) ?? document.querySelector<HTMLElement>('main h1')
}

function controlsOf(row: Element): HTMLElement[] {
  const controls = row.querySelectorAll<HTMLElement>('a, button, input, select, summary')
  return [...controls].filter((control) => control.checkVisibility())
}
