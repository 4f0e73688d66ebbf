/**
 * Authors who live elsewhere, but whose commits an upstream has sent with another signature. The server that they have left may accept writes
 * for a while, by their earlier key: only the first of these commits in an hour counts as invalid.
 */
import { LRUCache } from 'lru-cache'
import { upToEntries } from '../../util/entry-limit.ts'
import { isWaiting } from '../../util/wait.ts'

export interface MovedAuthors {
  has(did: string): boolean
  add(did: string): void
  delete(did: string): void
}

const maxAuthors = 10_000
const keptMs = 60 * 60_000

export function createMovedAuthors(now: () => Date): MovedAuthors {
  const until = new LRUCache<string, number>(upToEntries(maxAuthors))
  const has = (did: string) => isWaiting(until.get(did) ?? 0, now().getTime(), keptMs)
  return {
    has,
    add: (did) => void (has(did) || until.set(did, now().getTime() + keptMs)),
    delete: (did) => void until.delete(did),
  }
}
