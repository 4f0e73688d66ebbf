/** Forms with unsaved changes. */
import { useEffect } from 'react'
import { createStore } from '../store.ts'

/** The number of forms with unsaved changes. */
export const unsavedForms = createStore(0)

/** While `isUnsaved`, leaving the screen needs confirmation. */
export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return
    unsavedForms.set(unsavedForms.get() + 1)
    return () => unsavedForms.set(unsavedForms.get() - 1)
  }, [isUnsaved])
}
