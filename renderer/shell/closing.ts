/** Keeps the page from being closed or replaced by accident. */
import { useEffect } from 'react'
import { desktop } from '../bridge.ts'
import { useHasPictures } from '../parts/composer/drafts.ts'
import { unsavedContents, unsavedForms, useUnsavedContent } from '../ui/unsaved.ts'

/** Used once, by the app. */
export function useClosing(): void {
  useUnsavedContent(useHasPictures())
  useEffect(() => {
    const listening = new AbortController()
    const options = { signal: listening.signal }
    // The desktop asks by itself, when it quits.
    if (!desktop) window.addEventListener('beforeunload', confirm, options)
    window.addEventListener('dragover', refuseFiles, options)
    window.addEventListener('drop', refuseFiles, options)
    return () => listening.abort()
  }, [])
}

function confirm(event: BeforeUnloadEvent): void {
  if (unsavedForms.get() + unsavedContents.get() > 0) event.preventDefault()
}

/** A file that is dropped beside what takes it would open in place of the page. */
function refuseFiles(event: DragEvent): void {
  const { dataTransfer, target, defaultPrevented } = event
  const isTaken = defaultPrevented || (target instanceof HTMLInputElement && target.type === 'file')
  if (isTaken || !dataTransfer?.types.includes('Files')) return
  event.preventDefault()
  dataTransfer.dropEffect = 'none'
}
