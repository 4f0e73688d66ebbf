/** What would be lost: forms with unsaved changes, what only the page has, and what holds the page of a closed window. */
import { useEffect } from 'react'
import { createStore, type Store } from '../store.ts'

/** The number of forms with unsaved changes. Leaving their screen discards them. */
export const unsavedForms = createStore(0)
/** The number of contents that are lost with the page, and not with the screen. */
export const unsavedContents = createStore(0)

/** While `isUnsaved`, leaving the screen needs confirmation. */
export function useUnsaved(isUnsaved: boolean): void {
  useCounted(unsavedForms, isUnsaved)
}

/** While `isUnsaved`, closing the page needs confirmation. */
export function useUnsavedContent(isUnsaved: boolean): void {
  useCounted(unsavedContents, isUnsaved)
}

/** The number of components that hold the page. */
export const holds = createStore(0)

/** While `isHeld`, the page goes on after its window was closed to the tray: a later one could not continue there. */
export function useHold(isHeld: boolean): void {
  useCounted(holds, isHeld)
}

function useCounted(store: Store<number>, isCounted: boolean): void {
  useEffect(() => {
    if (!isCounted) return
    store.set(store.get() + 1)
    return () => store.set(store.get() - 1)
  }, [store, isCounted])
}
