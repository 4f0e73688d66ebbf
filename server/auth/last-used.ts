/**
 * When sessions were last used. Requests note it in memory; a job and the shutdown write it. A read therefore never waits for a
 * write, and a full disk does not fail it. A crash loses at most the uses since the last write.
 */
import { LRUCache } from 'lru-cache'
import type { Database } from '../store/database.ts'
import * as sessions from '../store/tables/sessions.ts'
import { type DatetimeString, iso } from '../util/time.ts'

export interface LastUsed {
  /** Notes that a session is in use, at most once in five minutes. */
  note(session: Pick<sessions.OpenSession, 'sessionId' | 'lastUsedAt'>): void
  /** The last use of a session, whether it is written or not. */
  of(session: Pick<sessions.Session, 'id' | 'lastUsedAt'>): DatetimeString
  /** Writes what was noted. Does nothing while the store takes no writes. @throws StoreUnavailable */
  write(): Promise<void>
}

const noteAfterMs = 5 * 60_000
/** Sessions with an unwritten use. The least recently used is dropped first; its stored time stays. */
const maxUnwritten = 10_000

export function createLastUsed({ store, now }: { store: Database; now: () => Date }): LastUsed {
  const unwritten = new LRUCache<string, DatetimeString>({ max: maxUnwritten })

  const latest = (id: string, stored: DatetimeString): DatetimeString => {
    const noted = unwritten.peek(id)
    return noted !== undefined && noted > stored ? noted : stored
  }

  return {
    note({ sessionId, lastUsedAt }) {
      const at = now()
      if (at.getTime() - Date.parse(latest(sessionId, lastUsedAt)) >= noteAfterMs) {
        unwritten.set(sessionId, iso(at))
      }
    },

    of: ({ id, lastUsedAt }) => latest(id, lastUsedAt),

    async write() {
      if (unwritten.size === 0 || !store.writable) return
      const written = [...unwritten.entries()]
      await store.transact((tx) => {
        for (const [id, at] of written) sessions.touch(tx, id, at)
      })
      for (const [id, at] of written) if (unwritten.peek(id) === at) unwritten.delete(id)
    },
  }
}
