/** Forms that hold something which leaving the screen would lose. */
import { useEffect } from 'react'
import { createStore } from '../api/store.ts'

/** How many there are now. */
export const unsavedForms = createStore(0)

/** Has somebody asked before the screen is left. */
export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return
    unsavedForms.set(unsavedForms.get() + 1)
    return () => unsavedForms.set(unsavedForms.get() - 1)
  }, [isUnsaved])
}
