/**
 * Last-used times of sessions. Requests note them in memory; a periodic job and the shutdown write them. So a request that only
 * reads waits for no write and works on a full disk. A crash loses at most the uses since the last write.
 */
import { LRUCache } from 'lru-cache'
import type { Database } from '../../store/database.ts'
import { upToEntries } from '../../util/entry-limit.ts'
import { type DatetimeString, iso } from '../../util/time.ts'
import * as sessions from '../tables/sessions.ts'

export interface LastUsed {
  /** Notes in memory that a session is in use, at most once in five minutes. */
  note(session: Pick<sessions.OpenSession, 'sessionId' | 'lastUsedAt'>): void
  /** Returns the last use of a session, written or not. */
  of(session: Pick<sessions.Session, 'id' | 'lastUsedAt'>): DatetimeString
  /** Writes the noted uses, if the store is writable. @throws StoreUnavailable */
  write(): Promise<void>
}

const noteAfterMs = 5 * 60_000
/** Milliseconds between comparisons of the last use of a session, because a comparison parses a time. */
const compareAfterMs = 1000
/** Sessions with an unwritten use. The least recently used is dropped first; its stored time stays. */
const maxUnwritten = 10_000

export function createLastUsed({ store, now }: { store: Database; now: () => Date }): LastUsed {
  const unwritten = new LRUCache<string, DatetimeString>(upToEntries(maxUnwritten))

  const latest = (id: string, stored: DatetimeString): DatetimeString => {
    const noted = unwritten.peek(id)
    return noted !== undefined && noted > stored ? noted : stored
  }

  /** When uses of a session were last compared, in milliseconds since the epoch. */
  const comparedAt = new WeakMap<object, number>()

  return {
    note(session) {
      const at = now()
      const ms = at.getTime()
      const since = ms - (comparedAt.get(session) ?? Number.NaN)
      if (since >= 0 && since < compareAfterMs) return
      comparedAt.set(session, ms)
      const { sessionId, lastUsedAt } = session
      const unusedMs = ms - Date.parse(latest(sessionId, lastUsedAt))
      // A use of the future was noted by a clock that was ahead.
      if (unusedMs >= noteAfterMs || unusedMs < 0) unwritten.set(sessionId, iso(at))
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
