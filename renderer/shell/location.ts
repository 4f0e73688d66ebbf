/**
 * The path of the current screen. It follows the URL hash, except while the user is asked about unsaved changes. This covers
 * all navigation: links, shortcuts, browser buttons and the desktop.
 */
import type { BaseLocationHook } from 'wouter'
import { navigate } from 'wouter/use-hash-location'
import { createStore, useStore } from '../store.ts'
import { unsavedForms } from '../ui/unsaved.ts'

const currentPath = createStore(pathInUrl())

/** The target of a navigation that waits for confirmation. */
export const pendingPath = createStore<string | undefined>(undefined)

window.addEventListener('hashchange', () => {
  const path = pathInUrl()
  const isBlocked = unsavedForms.get() > 0 && path !== currentPath.get()
  pendingPath.set(isBlocked ? path : undefined)
  if (!isBlocked) currentPath.set(path)
})

function pathInUrl(): string {
  return `/${location.hash.replace(/^#?\/?/, '')}`
}

/** The location hook of the router. */
export const useScreenLocation: BaseLocationHook = Object.assign(
  (): [string, typeof navigate] => [useStore(currentPath), navigate],
  { hrefs: (href: string) => `#${href}` },
)

export function leave(): void {
  const path = pendingPath.get()
  pendingPath.set(undefined)
  if (path !== undefined) currentPath.set(path)
}

export function stay(): void {
  navigate(currentPath.get(), { replace: true })
}
