/**
 * The timers and the clock of everything that falls due: periodic jobs, expiries, retries, back-off, delivery queues, delayed writes and
 * pauses between rounds. Tests and the network for tests replace them by a logical clock, see `sources.ts`.
 *
 * Limits of real input and output follow the clock of the machine, which stays real while a test moves the time: they are in
 * `deadlines.ts`. The rule: what should happen when a test moves the time by a day belongs here. What protects the server from a peer,
 * a disk, a thread or a computation that takes too long, or measures one, belongs there.
 */
import { setImmediate } from 'node:timers/promises'

/** A running timer or interval. */
export interface Timer {
  /** Lets the process end while it runs. */
  unref(): this
  /** Starts its time anew. */
  refresh(): this
}

/** A source of time. */
export interface Timers {
  /** Calls back once, after `ms`. */
  setTimeout(callback: () => void, ms: number): Timer
  /** Calls back every `ms`. */
  setInterval(callback: () => void, ms: number): Timer
  clearTimeout(timer: Timer | undefined): void
  clearInterval(interval: Timer | undefined): void
  /** Returns milliseconds by a clock that only goes forward, from an arbitrary start. */
  elapsed(): number
  /** Returns the present time. */
  time(): Date
  /** Resolves in the next turn of the event loop. */
  nextTurn(): Promise<void>
}

export interface SleepOptions {
  /** Rejects with its reason when it aborts. */
  readonly signal?: AbortSignal | undefined
  /** False lets the process end meanwhile. */
  readonly ref?: boolean
}

/** The timers of the system. Read from the global object with each call: tests may replace them there. */
export const systemTimers: Timers = {
  setTimeout: (callback, ms) => globalThis.setTimeout(callback, ms),
  setInterval: (callback, ms) => globalThis.setInterval(callback, ms),
  clearTimeout: (timer) => globalThis.clearTimeout(timer as NodeJS.Timeout | undefined),
  clearInterval: (interval) => globalThis.clearInterval(interval as NodeJS.Timeout | undefined),
  elapsed: () => performance.now(),
  time: () => new Date(),
  nextTurn: () => setImmediate(),
}

let timers = systemTimers

/** For `sources.ts` alone. */
export function replaceTimers(next: Timers): void {
  timers = next
}

/** Calls back once, after `ms`. */
export function setTimeout(callback: () => void, ms: number): Timer {
  return timers.setTimeout(callback, ms)
}

export function clearTimeout(timer: Timer | undefined): void {
  timers.clearTimeout(timer)
}

/** Calls back every `ms`. After a jump of a logical clock it calls back once for all the times that were jumped over. */
export function setInterval(callback: () => void, ms: number): Timer {
  return timers.setInterval(callback, ms)
}

export function clearInterval(interval: Timer | undefined): void {
  timers.clearInterval(interval)
}

/** Resolves after `ms`. Rejects with the reason of the signal when it aborts. */
export function sleep(ms: number, options?: SleepOptions): Promise<void> {
  return sleepBy(timers, ms, options)
}

/** Milliseconds by a clock that only goes forward, from an arbitrary start: for ages and rates of what falls due. */
export function elapsed(): number {
  return timers.elapsed()
}

/** The present time: the default of each `now` that can be injected. */
export function systemTime(): Date {
  return timers.time()
}

/** Resolves in the next turn of the event loop, so that input and output come in between. */
export function yieldToEventLoop(): Promise<void> {
  return timers.nextTurn()
}

/** Resolves after `ms` by a source of time. */
export function sleepBy(
  source: Timers,
  ms: number,
  { signal, ref = true }: SleepOptions = {},
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  if (signal?.aborted) {
    reject(signal.reason)
    return promise
  }
  const timer = source.setTimeout(() => {
    signal?.removeEventListener('abort', abort)
    resolve()
  }, ms)
  function abort(): void {
    source.clearTimeout(timer)
    reject(signal?.reason)
  }
  signal?.addEventListener('abort', abort, { once: true })
  if (!ref) timer.unref()
  return promise
}
