/**
 * The path of the screen that is shown: the one in the address, but for the moment in which somebody is asked whether to leave
 * what has not been saved. Whatever changes the address is caught: links, keys, the browser's own buttons, the desktop.
 */
import type { BaseLocationHook } from 'wouter'
import { navigate } from 'wouter/use-hash-location'
import { createStore, useStore } from '../api/store.ts'
import { unsavedForms } from '../ui/unsaved.ts'

const shown = createStore(inAddress())

/** Where somebody wants to go who has not saved; undefined when nobody does. */
export const wanted = createStore<string | undefined>(undefined)

window.addEventListener('hashchange', () => {
  const path = inAddress()
  const isHeld = unsavedForms.get() > 0 && path !== shown.get()
  wanted.set(isHeld ? path : undefined)
  if (!isHeld) shown.set(path)
})

function inAddress(): string {
  return `/${location.hash.replace(/^#?\/?/, '')}`
}

/** As the router wants it. */
export const useScreenLocation: BaseLocationHook = Object.assign(
  (): [string, typeof navigate] => [useStore(shown), navigate],
  { hrefs: (href: string) => `#${href}` },
)

export function leave(): void {
  const path = wanted.get()
  wanted.set(undefined)
  if (path !== undefined) shown.set(path)
}

export function stay(): void {
  navigate(shown.get(), { replace: true })
}
