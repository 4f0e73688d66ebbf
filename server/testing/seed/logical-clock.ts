/**
 * A clock that stands still until it is moved, with the timers of `util/timers.ts`. While it moves, the timers that fall due run in the
 * order of their due times, each when the one before has ended all that it started.
 *
 * A move of a year would run minute jobs half a million times. So a move is divided into stretches, each a sixtieth of it, but at least a
 * second and at most six days: by more than seven, the clock would become implausible (`platform/clock/trusted-clock.ts`). In each stretch
 *
 * - an interval runs at most once, the last time that it falls due. In a move of up to an hour, minute jobs miss none of their times;
 * - a timer that was started before runs at its time;
 * - of the timers that are started meanwhile and fall due in it, the first 50 run at their times, and the rest at the begin of the next
 *   stretch, or after the move. So a retry every second does not run millions of times.
 *
 * All timers that were started before a move and fall due in it have run at its end, each interval at its last time.
 *
 * With `isSimulated`, timers of the same time run together, as those of Node do, and the clock follows no time of the machine.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Deadlines } from '../../util/deadlines.ts'
import { createSerializer } from '../../util/serialize.ts'
import { systemTimers, type Timer, type Timers } from '../../util/timers.ts'
import { LogicalTimer } from './logical-timer.ts'

export interface LogicalClockOptions {
  /** The time at the start. */
  readonly start: Date
  /** Whether the clock follows the machine's as well: time passes, and timers fall due, between moves too. */
  readonly runs?: boolean
  /** Whether it stands still, and no timer falls due, until `begin`. */
  readonly waits?: boolean
  /** Resolves when all that runs has ended; called after each timer. A move waits for it for at most two seconds of real time. */
  readonly settle?: () => Promise<unknown>
  /** Waits for `settle` however long it takes, and runs timers of the same time together. */
  readonly isSimulated?: boolean
  /** Timers that are started in a stretch and run in it, at most; 50 by default. */
  readonly maxStarted?: number
}

export interface LogicalClock extends Timers {
  now(): Date
  /** Lets a clock that waits go on. */
  begin(): void
  /** Moves the clock by a millisecond. Timers that fall due run in the next turn of the event loop. */
  tick(): void
  /** Moves the clock, and resolves when everything that falls due has run. @throws the error of a timer; the clock stays at its time */
  advance(ms: number): Promise<void>
  /**
   * Moves the clock to a time. To an earlier one it is set back at once: timers keep the time that they have left.
   * @param stretches into how many the move is divided, if these are not too short or too long; 60 by default
   */
  set(at: Date, stretches?: number): Promise<void>
  /** Gives the clock another time, at which nothing falls due: timers keep the time that they have left. */
  leap(to: Date): void
  /** Ends all timers. */
  close(): void
}

const [minStretchMs, maxStretchMs] = [1000, 6 * 24 * 60 * 60_000]
const stretchesPerMove = 60
/** The longest time of a timer of the machine. */
const maxTimerMs = 2 ** 31 - 1
/** How long a move waits for the end of what a timer has started, and how long once that was in vain: it may wait for the clock. */
const [settleMs, unsettledMs] = [2000, 10]

export function createLogicalClock(options: LogicalClockOptions): LogicalClock {
  const { start, runs = false, waits = false, settle, isSimulated = false, maxStarted = 50 } = options
  const timers = new Set<LogicalTimer>()
  const serialize = createSerializer()
  /** By the clock of the machine. */
  let begunAt = waits ? undefined : systemTimers.elapsed()
  let startMs = start.getTime()
  /** By how much the clock was moved. */
  let movedMs = 0
  let count = 0
  let isMoving = false
  let isClosed = false
  let isSettled = true
  /** Runs the timers that are due, at a time of the machine. */
  let wake: { readonly at: number; readonly timer: Timer | undefined } | undefined

  /** Time of the machine that counts. */
  const passed = () => (runs && begunAt !== undefined ? systemTimers.elapsed() - begunAt : 0)
  const elapsed = () => movedMs + passed()
  const time = () => new Date(startMs + Math.floor(elapsed()))

  function add(callback: () => void, ms: number, isInterval: boolean): Timer {
    const wait = Number.isFinite(ms) ? Math.max(0, ms) : 0
    // It runs while a test moves the clock, and belongs to the work that has started it.
    const work = AsyncLocalStorage.bind(callback)
    const timer = new LogicalTimer(work, isInterval ? Math.max(1, wait) : wait, isInterval, {
      start() {
        timer.dueAt = elapsed() + timer.ms
        timer.order = count++
        arm()
      },
      end: () => void timers.delete(timer),
    })
    if (!isClosed) timers.add(timer)
    return timer.refresh()
  }

  function remove(timer: Timer | undefined): void {
    if (timer instanceof LogicalTimer) timer.end()
  }

  function earliestDue(): number {
    let earliest = Number.POSITIVE_INFINITY
    for (const { dueAt } of timers) if (dueAt < earliest) earliest = dueAt
    return earliest
  }

  /** Lets due timers run in the next turn of the event loop; if the clock runs by itself, also the next ones when they fall due. */
  function arm(): void {
    if (begunAt === undefined || isMoving || isClosed) return
    const leftMs = earliestDue() - elapsed()
    if (leftMs > 0 && (!runs || leftMs === Number.POSITIVE_INFINITY)) return
    const at = leftMs > 0 ? systemTimers.elapsed() + leftMs : Number.NEGATIVE_INFINITY
    if (wake && wake.at <= at) return
    systemTimers.clearTimeout(wake?.timer)
    const run = () => {
      wake = undefined
      void serialize(runDue)
    }
    if (leftMs > 0) {
      wake = { at, timer: systemTimers.setTimeout(run, Math.min(Math.ceil(leftMs), maxTimerMs)).unref() }
    } else {
      wake = { at, timer: undefined }
      void systemTimers.nextTurn().then(run)
    }
  }

  const runDue = () => move(async () => runStretch(elapsed()))

  async function move(work: () => Promise<void>): Promise<void> {
    isMoving = true
    try {
      await work()
    } finally {
      isMoving = false
      arm()
    }
  }

  /** Runs the timers that fall due until `end`, and moves the clock there. */
  async function runStretch(end: number): Promise<void> {
    const first = count
    let started = 0
    while (!isClosed) {
      const before = started < maxStarted ? Number.POSITIVE_INFINITY : first
      const next = earliest(end, before)
      if (!next) break
      const { timer, at } = next
      for (const due of isSimulated ? dueAt(at, end, before) : [timer]) {
        // One that ran before it may have ended it.
        if (!timers.has(due)) continue
        if (due.order >= first) started++
        jump(at)
        if (due.isInterval) due.dueAt = at + due.ms
        else timers.delete(due)
        due.callback()
        // What was resolved continues before the next timer runs.
        if (isSimulated) await undefined
      }
      await settled()
    }
    jump(end)
  }

  /** Returns the timers that run at a time before `end`, among those that were started before the given one. */
  const dueAt = (at: number, end: number, order: number) =>
    [...timers]
      .filter((timer) => timer.order < order && timer.lastTime(end) === at)
      .sort((one, other) => one.order - other.order)

  /** Returns the timer that runs next until `end`, among those that were started before the given one. */
  function earliest(end: number, order: number): { timer: LogicalTimer; at: number } | undefined {
    let found: { timer: LogicalTimer; at: number } | undefined
    for (const timer of timers) {
      const at = timer.lastTime(end)
      if (at > end || timer.order >= order) continue
      if (!found || at < found.at || (at === found.at && timer.order < found.timer.order))
        found = { timer, at }
    }
    return found
  }

  function jump(at: number): void {
    // Assigned, not added: a sum of fractions would miss the time by a little, and be rounded to the millisecond before.
    movedMs = Math.max(movedMs, at - passed())
  }

  async function settled(): Promise<void> {
    if (isSimulated) return void (await settle?.())
    await systemTimers.nextTurn()
    if (!settle) return
    const late = Promise.withResolvers<boolean>()
    const limit = systemTimers.setTimeout(() => late.resolve(false), isSettled ? settleMs : unsettledMs)
    isSettled = await Promise.race([settle().then(() => true), late.promise])
    systemTimers.clearTimeout(limit)
  }

  const moveBy = (ms: number, stretches = stretchesPerMove) =>
    move(async () => {
      const target = elapsed() + ms
      const stretchMs = Math.min(Math.max(Math.ceil(ms / stretches), minStretchMs), maxStretchMs)
      while (elapsed() < target && !isClosed) await runStretch(Math.min(target, elapsed() + stretchMs))
    })

  return {
    setTimeout: (callback, ms) => add(callback, ms, false),
    setInterval: (callback, ms) => add(callback, ms, true),
    ...{ clearTimeout: remove, clearInterval: remove },
    ...{ elapsed, time, now: time, nextTurn: systemTimers.nextTurn },
    begin() {
      begunAt ??= systemTimers.elapsed()
      arm()
    },
    tick() {
      movedMs++
      arm()
    },
    advance: (ms) => serialize(() => moveBy(ms)),
    set: (at, stretches) =>
      serialize(async () => {
        const ms = at.getTime() - time().getTime()
        if (ms > 0) await moveBy(ms, stretches)
        else startMs += ms
      }),
    leap(to) {
      startMs += to.getTime() - time().getTime()
    },
    close() {
      isClosed = true
      timers.clear()
      systemTimers.clearTimeout(wake?.timer)
    },
  }
}

/** Returns limits of input and output by a clock: for a simulator that has none which are real. */
export function deadlinesBy(clock: Timers): Deadlines {
  return {
    ...clock,
    signal(ms) {
      const over = new AbortController()
      clock.setTimeout(() => over.abort(new DOMException('The operation timed out', 'TimeoutError')), ms)
      return over.signal
    },
  }
}
