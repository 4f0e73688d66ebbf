/** The steps that a person has hidden in this browser, by account. */
import { createStore, useStore } from '../../store.ts'
import type { Mark } from './marks.ts'

type Hidden = Readonly<Record<string, readonly Mark[] | undefined>>

const key = 'pds.hiddenSteps'

const hidden = createStore<Hidden>(parse(localStorage.getItem(key)))

window.addEventListener('storage', (event) => {
  if (event.key === key) hidden.set(parse(event.newValue))
})

/** The hidden steps; undefined as long as the list was never hidden nor completed. */
export function useHiddenMarks(did: string): readonly Mark[] | undefined {
  return useStore(hidden)[did]
}

export function setHiddenMarks(did: string, marks: readonly Mark[] | undefined): void {
  hidden.set({ ...hidden.get(), [did]: marks })
  try {
    localStorage.setItem(key, JSON.stringify(hidden.get()))
  } catch {
    // The storage is full or forbidden. The steps are hidden until the page is closed.
  }
}

function parse(text: string | null): Hidden {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    const entries = Object.entries(value ?? {}).filter(([, marks]) => Array.isArray(marks))
    return Object.fromEntries(entries)
  } catch {
    return {}
  }
}
