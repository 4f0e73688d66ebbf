/** What would be lost: forms with unsaved changes, and what only the page has. */
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

function useCounted(store: Store<number>, isCounted: boolean): void {
  useEffect(() => {
    if (!isCounted) return
    store.set(store.get() + 1)
    return () => store.set(store.get() - 1)
  }, [store, isCounted])
}
