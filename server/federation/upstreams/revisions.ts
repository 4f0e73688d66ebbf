/** Notices commits that an upstream left out: each states the revision before it. */
import { LRUCache } from 'lru-cache'
import { upToEntries } from '../../util/entry-limit.ts'
import { type Frame, readRevisions } from './upstream-frames.ts'

export interface Revisions {
  /**
   * Whether commits of an author are missing before this event, judged by the event alone, which is not verified. The first event of an
   * author after the start of this server, and one that was sent before, show nothing.
   */
  isGap(frame: Frame): boolean
  /** Forgets an author that no longer concerns this server. */
  forget(did: string): void
}

/** Authors whose last revision is known. */
const maxAuthors = 10_000

/** Call it with the events of authors that concern this server, across connections. */
export function createRevisions(): Revisions {
  const latest = new LRUCache<string, string>(upToEntries(maxAuthors))
  return {
    isGap(frame) {
      const { rev, since } = readRevisions(frame)
      const last = latest.get(frame.did)
      if (rev === undefined || (last !== undefined && rev <= last)) return false
      latest.set(frame.did, rev)
      return last !== undefined && since !== undefined && since !== last
    },
    forget: (did) => void latest.delete(did),
  }
}
