/** The standing of authors of other servers: budgets leave more room to authors with a history here. */
import { LRUCache } from 'lru-cache'
import type { Reader } from '../../store/database.ts'
import * as interest from '../tables/remote-interest.ts'
import type { Standing } from './budgets.ts'

export type StandingOf = (db: Reader, did: string) => Standing

const dayMs = 24 * 60 * 60_000
/** Milliseconds for which an author's standing is cached: each event of a burst needs it. */
const keptMs = 60_000
const maxAuthors = 10_000

export function createStanding(now: () => Date): StandingOf {
  const known = new LRUCache<string, { readonly standing: Standing; readonly at: number }>({
    max: maxAuthors,
  })
  return (db, did) => {
    const at = now().getTime()
    const found = known.get(did)
    if (found && Math.abs(at - found.at) < keptMs) return found.standing
    const standing = lookUp(db, did, at)
    known.set(did, { standing, at })
    return standing
  }
}

function lookUp(db: Reader, did: string, at: number): Standing {
  if (interest.isWatched(db, did) || interest.hasUsedList(db, did)) return 'watched'
  return interest.isStoredSince(db, did, at - dayMs) ? 'established' : 'new'
}
