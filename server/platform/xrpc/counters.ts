/**
 * Counts of calls per key in fixed windows, in a bounded number of entries and without timers. A window begins with the first
 * call of its key, so that the entries of a `Map` are in the order in which their windows end.
 */
import { systemTime } from '../../util/timers.ts'

interface Entry {
  count: number
  /** When the window ends, in milliseconds since 1970. */
  readonly end: number
}

/** The state of a key's window. */
export interface Count {
  /** Calls in this window, including calls beyond a limit. */
  readonly count: number
  /** Milliseconds until the window ends. */
  readonly msLeft: number
}

/** At about 200 bytes each. */
export const maxEntries = 10_000
/** Entries among which the one to evict is found. */
const candidates = 16

export class Counters {
  readonly #windowMs: number
  readonly #entries = new Map<string, Entry>()

  constructor(seconds: number) {
    this.#windowMs = seconds * 1000
  }

  get size(): number {
    return this.#entries.size
  }

  /** Counts a call. */
  add(key: string, now = systemTime().getTime()): Count {
    let entry = this.#current(key, now)
    if (!entry) {
      this.#entries.delete(key)
      this.#makeRoom(now)
      entry = { count: 0, end: now + this.#windowMs }
      this.#entries.set(key, entry)
    }
    entry.count++
    return { count: entry.count, msLeft: entry.end - now }
  }

  /** Returns undefined for a key without a count in the current window. */
  get(key: string, now = systemTime().getTime()): Count | undefined {
    const entry = this.#current(key, now)
    return entry && { count: entry.count, msLeft: entry.end - now }
  }

  #current(key: string, now: number): Entry | undefined {
    const entry = this.#entries.get(key)
    const left = entry ? entry.end - now : 0
    // More than a window is left after the clock was set back.
    return left > 0 && left <= this.#windowMs ? entry : undefined
  }

  /**
   * Deletes entries of windows that have ended: more than one per new entry, so that they do not accumulate. If there are none and
   * there is no room, the entry with the lowest count among those that end first is evicted: new keys, which a caller has many of,
   * evict each other and not the count that the caller wants to reset.
   */
  #makeRoom(now: number): void {
    let lowest: { key: string; count: number } | undefined
    let seen = 0
    for (const [key, { count, end }] of this.#entries) {
      if (++seen > candidates) break
      if (end <= now) this.#entries.delete(key)
      else if (this.#entries.size < maxEntries) return
      else if (!lowest || count < lowest.count) lowest = { key, count }
    }
    if (lowest && this.#entries.size >= maxEntries) this.#entries.delete(lowest.key)
  }
}
