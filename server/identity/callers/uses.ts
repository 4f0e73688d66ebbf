/**
 * How often each session was used, by day, so that a person sees which app did what. Counted in memory, and written by a periodic job
 * and at shutdown, as `last-used.ts` does: a call costs an increment. A crash loses at most the counts since the last write.
 */
import type { Platform } from '../../platform/platform.ts'
import { dayMs, dayOf } from '../../util/time.ts'
import * as rows from '../tables/session-uses.ts'
import type { OpenSession } from '../tables/sessions.ts'

export interface DayUses extends rows.UseCounts {
  /** A date in UTC, `YYYY-MM-DD`. */
  readonly day: string
}

/** A session, or an app password for all of its sessions. */
type Access = { readonly sessionId: string } | { readonly appPasswordName: string }

export interface Uses {
  /** Adds to a count in memory. */
  note(
    session: Pick<OpenSession, 'did' | 'sessionId' | 'appPasswordName'>,
    kind: keyof rows.UseCounts,
    count?: number,
  ): void
  /** Returns a look-up of the counts of an account, newest day first. @param since time of the sign-in */
  ofAccount(did: string): (access: Access, since: string) => DayUses[]
  /** Writes the noted counts, if the store is writable. @throws StoreUnavailable */
  write(): Promise<void>
}

type Noted = { -readonly [Key in keyof rows.SessionUses]: rows.SessionUses[Key] }

const keptDays = 90

export function createUses({ store, now, clock }: Pick<Platform, 'store' | 'now' | 'clock'>): Uses {
  /** Unwritten counts of today by session, and of earlier days. */
  const current = new Map<string, Noted>()
  let earlier: Noted[] = []
  let today = 0

  function countsOf(session: Parameters<Uses['note']>[0]): Noted {
    const at = now()
    const day = Math.floor(at.getTime() / dayMs)
    if (day !== today) {
      earlier = takeAll()
      today = day
    }
    let noted = current.get(session.sessionId)
    if (!noted) {
      const { did, sessionId, appPasswordName } = session
      const access = accessOf(appPasswordName === null ? { sessionId } : { appPasswordName })
      noted = { did, access, day: dayOf(at), reads: 0, writes: 0, refusals: 0 }
      current.set(sessionId, noted)
    }
    return noted
  }

  /** Empties the memory. */
  function takeAll(): Noted[] {
    const all = [...earlier, ...current.values()]
    current.clear()
    earlier = []
    return all
  }

  return {
    note(session, kind, count = 1) {
      if (count > 0) countsOf(session)[kind] += count
    },

    ofAccount(did) {
      const ofDid = [...earlier, ...current.values()].filter((row) => row.did === did)
      const noted = Map.groupBy(ofDid, ({ access }) => access)
      return (of, since) => {
        const [access, first] = [accessOf(of), since.slice(0, 10)]
        const unwritten = (noted.get(access) ?? []).filter(({ day }) => day >= first)
        return byDay([...rows.ofAccess(store, did, access, first), ...unwritten]).sort((one, other) =>
          one.day < other.day ? 1 : -1,
        )
      }
    },

    async write() {
      if (earlier.length + current.size === 0 || !store.writable) return
      // Those of a day that has not come were noted while the clock was ahead.
      const last = dayOf(now())
      const oldest = dayOf(new Date(now().getTime() - keptDays * dayMs))
      const taken = takeAll()
      try {
        await store.transact((tx) => {
          for (const row of taken) rows.add(tx, row.day > last ? { ...row, day: last } : row)
          if (!clock.isPlausible()) return
          for (const did of new Set(taken.map((row) => row.did))) rows.removeOld(tx, did, oldest)
        })
      } catch (error) {
        earlier.push(...taken)
        throw error
      }
    },
  }
}

function byDay(counts: readonly rows.SessionUses[]): DayUses[] {
  const sum = (some: readonly rows.SessionUses[], kind: keyof rows.UseCounts) =>
    some.reduce((total, row) => total + row[kind], 0)
  return [...Map.groupBy(counts, ({ day }) => day)].map(([day, some]) => ({
    day,
    reads: sum(some, 'reads'),
    writes: sum(some, 'writes'),
    refusals: sum(some, 'refusals'),
  }))
}

function accessOf(access: Access): string {
  return 'sessionId' in access ? access.sessionId : rows.accessOfAppPassword(access.appPasswordName)
}
