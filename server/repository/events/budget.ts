/**
 * Keeps the events of a public server within what relays accept from one host: about 2,500 an hour and 10,000 a day from a new one.
 * Beyond that they read slowly, so that the posts of everyone here would be seen late. As soon as most of the budget is used, an
 * account that has made very many commits in the last hour waits until earlier events leave the window; everyone else goes on, and
 * so do events of identities and accounts. A client that respects `Retry-After` is paced by that.
 */
import type { Config } from '../../platform/config/config.ts'
import { Counters } from '../../platform/xrpc/counters.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Reader } from '../../store/database.ts'
import * as events from '../tables/events.ts'

export interface EventBudget {
  /** Call it before a commit of an account is reported. @throws RateLimitExceeded */
  spend(db: Reader, did: string): void
  /** Undefined if there is no limit. */
  usage(db: Reader): Usage | undefined
}

/** Numbers of events. */
export interface Usage {
  readonly lastHour: number
  readonly hourLimit: number
  readonly lastDay: number
  readonly dayLimit: number
  /** Whether accounts with very many commits have to wait now. */
  readonly isHeld: boolean
}

interface Deps {
  readonly config: Pick<Config, 'publicUrl' | 'relays' | 'eventBudget'>
  readonly now: () => Date
}

/** The part that any account may use; the rest is for those that write little. */
const commonShare = 0.8
/** Commits of an hour up to which an account never waits: a person makes fewer. */
const alwaysPerHour = 100
const windows = { hour: 60 * 60_000, day: 24 * 60 * 60_000 } as const
/** The windows are counted so often. */
const lookMs = 2000

type Window = keyof typeof windows

export function createEventBudget({ config, now }: Deps): EventBudget {
  const { eventBudget: limits, publicUrl, relays } = config
  const isKept = publicUrl !== undefined && relays.length > 0 && Number.isFinite(limits.day)
  const commits = new Counters(60 * 60)
  let looked: { readonly at: number; readonly seq: number; readonly used: Record<Window, number> } | undefined

  /** Counts the events in the windows, then only later ones. */
  function used(db: Reader): Record<Window, number> {
    const time = now().getTime()
    const { lastSeq } = events.state(db)
    if (!looked || Math.abs(time - looked.at) >= lookMs || lastSeq < looked.seq) {
      const countIn = (window: Window) => {
        const first = events.firstSince(db, time - windows[window])
        // Numbers may be left out: then it is less. To count them takes longer.
        const most = lastSeq + 1 - first
        return most < limits[window] * commonShare ? most : events.countFrom(db, first)
      }
      looked = { at: time, seq: lastSeq, used: { hour: countIn('hour'), day: countIn('day') } }
    }
    const since = lastSeq - looked.seq
    return { hour: looked.used.hour + since, day: looked.used.day + since }
  }

  /** The exhausted window, apart from the share that is reserved for accounts that write little. */
  function fullWindow(db: Reader): Window | undefined {
    const { hour, day } = used(db)
    if (day >= limits.day * commonShare) return 'day'
    return hour >= limits.hour * commonShare ? 'hour' : undefined
  }

  /** Seconds until an event may be added: until the earliest that is too many leaves the window. */
  function waitFor(db: Reader, window: Window): number {
    const { lastSeq } = events.state(db)
    const leaving = events.timeOf(db, lastSeq + 1 - Math.floor(limits[window] * commonShare))
    const ms = leaving === undefined ? windows.hour / 60 : leaving + windows[window] - now().getTime()
    return Math.ceil(Math.max(ms, 1000) / 1000)
  }

  return {
    spend(db, did) {
      if (!isKept) return
      const time = now().getTime()
      const mine = commits.get(did, time)?.count ?? 0
      if (mine >= alwaysPerHour) {
        const window = fullWindow(db)
        if (window) throw tooMany(limits[window], window, waitFor(db, window))
      }
      commits.add(did, time)
    },
    usage(db) {
      if (!isKept) return undefined
      const { hour, day } = used(db)
      return {
        ...{ lastHour: hour, hourLimit: limits.hour, lastDay: day, dayLimit: limits.day },
        isHeld: fullWindow(db) !== undefined,
      }
    },
  }
}

function tooMany(limit: number, window: Window, wait: number): XrpcError {
  return new XrpcError(
    'RateLimitExceeded',
    `Relays accept ${limit} events per ${window} from this server, and most were used. Try again in ${wait} seconds, or write up to 200 records at once with applyWrites: they are one event.`,
    { retryAfter: wait },
  )
}
