/**
 * Decides whether the clock of this machine is plausible. An empty battery or a virtual machine can set it years ahead or back.
 * Then nothing is deleted because of its age, see `isPlausible`, until
 *
 * - the clock is right again,
 * - the did:plc directory of the settings states the same time in an answer,
 * - the owner confirms the time, or
 * - the server has run for long enough: the trusted time approaches the clock by a day per hour. So a computer that was off for
 *   three weeks is trusted after 15 hours, and a clock that is three years ahead not within a month.
 *
 * Times that were written meanwhile are corrected once the clock is right; see `future-times.ts`.
 */
import type { Database } from '../../store/database.ts'
import * as rows from '../../store/tables/clock.ts'
import type { Logger } from '../../util/log.ts'
import { iso } from '../../util/time.ts'
import { type CorrectTimes, correctFutureTimes } from './future-times.ts'

/** The direction in which the clock is implausible. */
export type ClockDoubt = 'ahead' | 'behind'

export interface ClockState {
  readonly now: Date
  /** Undefined: the clock is plausible. */
  readonly doubt: ClockDoubt | undefined
  /** The newest time that was trusted. */
  readonly trustedAt: Date
  /** The time that the directory has stated, as it would be by now, if it differs from the clock. */
  readonly elsewhere: Date | undefined
}

export interface TrustedClock {
  /** The time of the clock, plausible or not. */
  now(): Date
  /** The time of the clock, or the newest trusted time if that is later. */
  latest(): Date
  /** The time of the clock; if it is implausibly ahead, the newest trusted time. */
  earliest(): Date
  /** Whether work may delete by age. Ask again in each run. */
  isPlausible(): boolean
  state(): ClockState
  /** Compares the clock with the trusted time, and stores it seldom. Call it once per minute. */
  check(): Promise<void>
  /** The directory has stated its time. */
  witness(at: Date): void
  /** The owner has confirmed the time of the clock. */
  confirm(): Promise<void>
  /** Stores the trusted time. */
  close(): Promise<void>
}

interface Deps {
  readonly store: Database
  /** Reads the clock of the machine. */
  readonly readClock: () => Date
  readonly log: Logger
  /** What the wings do when the clock was ahead and is right again, in the order in which they are called. */
  readonly onClockCorrected: readonly CorrectTimes[]
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** The server may have been off for this long. */
const maxAheadMs = 7 * dayMs
/** Systems that keep local time in the hardware correct the clock by hours after their start. */
const maxBehindMs = hourMs
/** The time that the directory states may differ by this much. */
const witnessMs = hourMs
/** By how much the trusted time approaches the clock in a minute. */
const stepMs = dayMs / 60
/** The stored time may be this old. */
const storeAfterMs = 6 * hourMs
/** Times that lie further ahead are corrected. */
const futureMs = minuteMs

export function createTrustedClock({ store, readClock, log, onClockCorrected }: Deps): TrustedClock {
  let stored = rows.find(store)
  let trustedAt = stored.trustedAt ?? firstTrusted(store, readClock().getTime())
  let furthestAt = stored.furthestAt
  let lastCheckAt = readClock().getTime()
  /** The time of the directory minus ours. */
  let elsewhereMs: number | undefined
  let reported: ClockDoubt | undefined

  function now(): Date {
    const at = readClock()
    if (at.getTime() > furthestAt) furthestAt = at.getTime()
    return at
  }

  function doubtOf(at: number): ClockDoubt | undefined {
    if (at - trustedAt > maxAheadMs) return 'ahead'
    return trustedAt - at > maxBehindMs ? 'behind' : undefined
  }

  function state(): ClockState {
    const at = now()
    const doubt = doubtOf(at.getTime())
    return {
      now: at,
      doubt,
      trustedAt: new Date(trustedAt),
      elsewhere: doubt && elsewhereMs !== undefined ? new Date(at.getTime() + elsewhereMs) : undefined,
    }
  }

  /** Lets the trusted time follow the clock: at once if it is plausible, else by a step for a minute of regular running. */
  function follow(at: number): void {
    const passedMs = at - lastCheckAt
    lastCheckAt = at
    if (!doubtOf(at)) {
      trustedAt = Math.max(trustedAt, at)
      return
    }
    const isRegular = passedMs >= minuteMs / 2 && passedMs <= 2 * minuteMs
    if (isRegular && elsewhereMs === undefined) trustedAt += at > trustedAt ? stepMs : -stepMs
  }

  /** Logs when the clock starts or ceases to be plausible. */
  function report(): void {
    const { doubt, now: at } = state()
    if (doubt === reported) return
    reported = doubt
    const times = { clock: iso(at), trusted: iso(new Date(trustedAt)) }
    if (doubt)
      log.warn({ ...times, doubt }, 'clock is implausible: nothing is deleted by age until it is right')
    else log.info(times, 'clock is plausible again')
  }

  async function save(): Promise<void> {
    const next = { trustedAt, furthestAt }
    await store.transact((tx) => rows.put(tx, next))
    stored = next
  }

  async function check(): Promise<void> {
    const at = now().getTime()
    follow(at)
    report()
    if (doubtOf(at)) {
      // Rows of this time are to be corrected later, also after a crash.
      if (furthestAt - stored.furthestAt > hourMs || isOutdated()) await save()
      return
    }
    elsewhereMs = undefined
    if (furthestAt - at > futureMs) {
      const from = furthestAt
      furthestAt = at
      try {
        await correctFutureTimes(store, now, onClockCorrected)
      } catch (error) {
        furthestAt = Math.max(from, furthestAt)
        throw error
      }
      await save()
    } else if (isOutdated()) {
      await save()
    }
  }

  const isOutdated = () => stored.trustedAt === null || Math.abs(trustedAt - stored.trustedAt) >= storeAfterMs

  async function trust(at: number): Promise<void> {
    trustedAt = at
    elsewhereMs = undefined
    await check()
    await save()
  }

  return {
    now,
    latest: () => new Date(Math.max(now().getTime(), trustedAt)),
    earliest() {
      const at = now()
      return doubtOf(at.getTime()) === 'ahead' ? new Date(trustedAt) : at
    },
    isPlausible: () => doubtOf(now().getTime()) === undefined,
    state,
    check,
    witness(time) {
      const at = now().getTime()
      if (!doubtOf(at)) return
      const differsBy = time.getTime() - at
      if (Math.abs(differsBy) > witnessMs) {
        elsewhereMs = differsBy
      } else {
        trustedAt = at
        elsewhereMs = undefined
      }
    },
    confirm: () => trust(now().getTime()),
    async close() {
      if (store.writable && trustedAt !== stored.trustedAt) await save()
    },
  }
}

/** Returns the trusted time of the first start: the clock's, unless the newest times in the store contradict it. */
function firstTrusted(store: Database, at: number): number {
  const times = rows.lastActivity(store)
  const isRecent = times.some((time) => at - time <= maxAheadMs && time - at <= maxBehindMs)
  return isRecent || times.length === 0 ? at : Math.max(...times)
}
