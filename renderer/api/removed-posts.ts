/** Posts that were deleted in this window. Lists leave them out at once, and show them again after Undo. */
import { createStore, useStore } from '../store.ts'
import { placeOf } from './at-uri.ts'

const removed = createStore<ReadonlySet<string>>(new Set())

export function isRemoved(uri: string): boolean {
  return removed.get().has(placeOf(uri))
}

export function useIsRemoved(uri: string): boolean {
  return useStore(removed).has(placeOf(uri))
}

export function setRemoved(uri: string, isRemoved: boolean): void {
  const places = new Set(removed.get())
  if (isRemoved) places.add(placeOf(uri))
  else places.delete(placeOf(uri))
  removed.set(places)
}
