/** A timer of a logical clock. */
import type { Timer } from '../../util/timers.ts'

export class LogicalTimer implements Timer {
  readonly callback: () => void
  readonly ms: number
  readonly isInterval: boolean
  /** In milliseconds of `elapsed`. */
  dueAt = 0
  /** Timers with the same due time run in this order. */
  order = 0
  readonly #start: () => void
  /** Also of another clock than the one that is asked. */
  readonly end: () => void

  constructor(
    callback: () => void,
    ms: number,
    isInterval: boolean,
    clock: Pick<LogicalTimer, 'end'> & { start(): void },
  ) {
    this.callback = callback
    this.ms = ms
    this.isInterval = isInterval
    this.#start = clock.start
    this.end = clock.end
  }

  /** Has no effect: the process can end while logical timers wait. */
  unref(): this {
    return this
  }

  refresh(): this {
    this.#start()
    return this
  }

  /** Returns the last time until `end` that it falls due; its next time if that is later. */
  lastTime(end: number): number {
    if (!this.isInterval || this.dueAt > end) return this.dueAt
    return this.dueAt + Math.floor((end - this.dueAt) / this.ms) * this.ms
  }
}
