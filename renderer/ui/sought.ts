import { type RefObject, useEffect, useRef } from 'react'
import { createStore, useStore } from '../store.ts'

/** A section or row of a screen that was chosen elsewhere, until the screen has shown it. */
export const sought = createStore<{ readonly path: string; readonly title: string } | undefined>(undefined)

/** Moves the focus to a title when it is sought. Returns the ref of its element, which needs a `tabIndex`. */
export function useSought<E extends HTMLElement>(title: string): RefObject<E | null> {
  const element = useRef<E>(null)
  const isSought = useStore(sought)?.title === title
  useEffect(() => {
    if (!isSought || !element.current) return
    sought.set(undefined)
    const folded = element.current.closest('details')
    if (folded) folded.open = true
    element.current.scrollIntoView()
    element.current.focus({ preventScroll: true })
  }, [isSought])
  return element
}
