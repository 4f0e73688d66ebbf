/**
 * What each session wrote, by day, so that a person sees which app did what. Counted in memory and written by a periodic job and at
 * shutdown, as `last-used.ts` does: a write of a record costs nothing more. A crash loses at most the counts since the last write.
 */
import type { Platform } from '../../platform/platform.ts'
import { iso } from '../../util/time.ts'
import * as rows from '../tables/session-writes.ts'
import type { SessionCredentials } from './credentials.ts'

export interface DayCount {
  /** A date in UTC, `YYYY-MM-DD`. */
  readonly day: string
  readonly count: number
}

/** A session, or an app password for all of its sessions. */
type Access = { readonly sessionId: string } | { readonly appPasswordName: string }

export interface Written {
  /** Notes changes of records in memory. */
  note(session: Pick<SessionCredentials, 'did' | 'sessionId' | 'account'>, count: number): void
  /** Returns a look-up of the counts of an account, newest day first. @param since time of the sign-in */
  ofAccount(did: string): (access: Access, since: string) => DayCount[]
  /** Writes the noted counts, if the store is writable. @throws StoreUnavailable */
  write(): Promise<void>
}

const keptDays = 90
const dayMs = 24 * 60 * 60_000

export function createWritten({ store, now, clock }: Pick<Platform, 'store' | 'now' | 'clock'>): Written {
  const unwritten = new Map<string, rows.SessionWrites>()

  function add(row: rows.SessionWrites): void {
    const key = `${row.did} ${row.day} ${row.access}`
    const count = (unwritten.get(key)?.count ?? 0) + row.count
    unwritten.set(key, { ...row, count })
  }

  return {
    note({ did, sessionId, account: { appPasswordName } }, count) {
      if (count === 0) return
      const access = accessOf(appPasswordName === null ? { sessionId } : { appPasswordName })
      add({ did, access, day: dayOf(now()), count })
    },

    ofAccount(did) {
      const counts = new Map<string, Map<string, number>>()
      const noted = [...unwritten.values()].filter((row) => row.did === did)
      for (const { access, day, count } of [...noted, ...rows.ofAccount(store, did)]) {
        const days = counts.get(access) ?? new Map<string, number>()
        days.set(day, (days.get(day) ?? 0) + count)
        counts.set(access, days)
      }
      return (access, since) =>
        [...(counts.get(accessOf(access)) ?? [])]
          .map(([day, count]) => ({ day, count }))
          .filter(({ day }) => day >= since.slice(0, 10))
          .sort((one, other) => (one.day < other.day ? 1 : -1))
    },

    async write() {
      if (unwritten.size === 0 || !store.writable) return
      // Those of a day that has not come were noted while the clock was ahead.
      const today = dayOf(now())
      const written = [...unwritten.values()].map((row) => (row.day > today ? { ...row, day: today } : row))
      unwritten.clear()
      const oldest = dayOf(new Date(now().getTime() - keptDays * dayMs))
      try {
        await store.transact((tx) => {
          for (const row of written) rows.add(tx, row)
          if (!clock.isPlausible()) return
          for (const did of new Set(written.map((row) => row.did))) rows.removeBefore(tx, did, oldest)
        })
      } catch (error) {
        for (const row of written) add(row)
        throw error
      }
    },
  }
}

function accessOf(access: Access): string {
  return 'sessionId' in access ? access.sessionId : `app password ${access.appPasswordName}`
}

function dayOf(date: Date): string {
  return iso(date).slice(0, 10)
}
