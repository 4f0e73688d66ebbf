/** The steps that a person has hidden in this browser, by account. */
import { createStore, useStore } from '../../store.ts'
import type { Mark } from './marks.ts'

type Hidden = Readonly<Record<string, readonly Mark[] | undefined>>

const key = 'pds.hiddenSteps'

const hidden = createStore<Hidden>(parse(localStorage.getItem(key)))

/** The hidden steps; undefined as long as the list was never hidden nor completed. */
export function useHiddenMarks(did: string): readonly Mark[] | undefined {
  return useStore(hidden)[did]
}

export function setHiddenMarks(did: string, marks: readonly Mark[] | undefined): void {
  hidden.set({ ...hidden.get(), [did]: marks })
  localStorage.setItem(key, JSON.stringify(hidden.get()))
}

function parse(text: string | null): Hidden {
  try {
    return JSON.parse(text ?? '{}') as Hidden
  } catch {
    return {}
  }
}
