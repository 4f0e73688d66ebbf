/**
 * Limits of real input and output, and the clock of the machine that measures them: requests, handshakes, DNS, SMTP, drains, grace of a
 * close, locks, renames, idle threads, heartbeats, slices of CPU time. They stay real while a test moves the time. What falls due is in
 * `timers.ts`, which has the rule. A simulator without real input and output replaces both.
 */
import { type SleepOptions, sleepBy, systemTimers, type Timer, type Timers } from './timers.ts'

export interface Deadlines extends Timers {
  /** Returns a signal that aborts with a `TimeoutError` after `ms`. */
  signal(ms: number): AbortSignal
}

const systemDeadlines: Deadlines = { ...systemTimers, signal: (ms) => AbortSignal.timeout(ms) }

let deadlines = systemDeadlines

/** For `sources.ts` alone. If there is no argument, those of the system are put back. */
export function replaceDeadlines(next: Deadlines = systemDeadlines): void {
  deadlines = next
}

/** Calls back after `ms`, unless the work that is limited has cleared it. */
export function setDeadline(callback: () => void, ms: number): Timer {
  return deadlines.setTimeout(callback, ms)
}

export function clearDeadline(timer: Timer | undefined): void {
  deadlines.clearTimeout(timer)
}

/** Calls back every `ms`: looks whether a peer lives, or shows that this process does. */
export function setHeartbeat(callback: () => void, ms: number): Timer {
  return deadlines.setInterval(callback, ms)
}

export function clearHeartbeat(interval: Timer | undefined): void {
  deadlines.clearInterval(interval)
}

/** Returns a signal that aborts with a `TimeoutError` after `ms`. */
export function deadlineSignal(ms: number): AbortSignal {
  return deadlines.signal(ms)
}

/** Waits for the disk, another process or another server. Rejects with the reason of the signal when it aborts. */
export function pause(ms: number, options?: SleepOptions): Promise<void> {
  return sleepBy(deadlines, ms, options)
}

/** Milliseconds by the machine's clock that only goes forward, from an arbitrary start. */
export function realElapsed(): number {
  return deadlines.elapsed()
}

/** The time of the machine, in milliseconds since 1970: for file times, and for silence while the machine may sleep. */
export function realTime(): number {
  return deadlines.time().getTime()
}
