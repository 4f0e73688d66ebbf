/** The last searches of an account, kept in this browser only. */
import { createStore, type Store } from '../../store.ts'

const maxKept = 8

export interface RecentSearches {
  readonly words: Store<readonly string[]>
  /** Puts words before the others. */
  add(words: string): void
  clear(): void
}

const byAccount = new Map<string, RecentSearches>()

export function recentSearches(did: string): RecentSearches {
  const existing = byAccount.get(did)
  if (existing) return existing
  const created = create(`pds.searches.${did}`)
  byAccount.set(did, created)
  return created
}

function create(key: string): RecentSearches {
  const words = createStore<readonly string[]>(read(key))
  const keep = (kept: readonly string[]) => {
    words.set(kept)
    localStorage.setItem(key, JSON.stringify(kept))
  }
  return {
    words,
    add: (added) => keep([added, ...words.get().filter((one) => one !== added)].slice(0, maxKept)),
    clear: () => keep([]),
  }
}

function read(key: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}
