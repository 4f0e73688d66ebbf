/** Decides how fast an upstream is read, and cuts it off if it sends invalid proofs or too much. */
import { realElapsed } from '../../../util/deadlines.ts'
import { createTokenBucket } from '../../../util/token-bucket.ts'
import { upstream as limits } from './numbers.ts'

export interface UpstreamLimits {
  /**
   * Counts a message of the stream.
   * @param at when its upstream says that it happened, as text; undefined for one that is not the next event
   * @returns milliseconds to wait before the next one is read
   */
  read(bytes: number, at: string | undefined): number
  /** Counts a message that is no event. */
  noticed(): void
  /** Counts an event that concerns this server. @param at when its upstream says it happened, as text */
  received(at: string): void
  /** Counts an event that was verified. */
  examined(isValid: boolean): void
  /** Why the upstream must be cut off; undefined if it need not be. */
  readonly breach: string | undefined
}

/** @param elapsed milliseconds by a clock that only goes forward */
export function createUpstreamLimits(now: () => Date, elapsed: () => number = realElapsed): UpstreamLimits {
  const bucket = (limit: { readonly perSecond: number; readonly capacity: number }) =>
    createTokenBucket({ ...limit, elapsed })
  const reading = { events: bucket(limits.read.events), bytes: bucket(limits.read.bytes) }
  const live = { events: bucket(limits.live.events), bytes: bucket(limits.live.bytes) }
  const notices = bucket(limits.notices)
  /** Whether each of the last events was valid; the oldest is replaced. */
  const examined: boolean[] = []
  let next = 0
  let invalid = 0
  let second = 0
  let inSecond = 0
  let breach: string | undefined

  const isReplayed = (at: string) => !(Math.abs(now().getTime() - Date.parse(at)) < limits.replayedMs)

  return {
    get breach() {
      return breach
    },
    read(bytes, at) {
      if (at === undefined || !isReplayed(at)) {
        if (live.events.take() > 0)
          breach = `It sent more than ${limits.live.events.perSecond} events a second`
        if (live.bytes.take(bytes) > 0)
          breach = `It sent more than ${limits.live.bytes.perSecond / 1e6} MB a second`
      }
      return Math.max(reading.events.take(), reading.bytes.take(bytes))
    },
    noticed() {
      if (notices.take() > 0)
        breach = `It sent more than ${limits.notices.capacity} messages that are no events`
    },
    received(at) {
      if (isReplayed(at)) return
      const present = Math.floor(elapsed() / 1000)
      if (present !== second) [second, inSecond] = [present, 0]
      if (++inSecond > limits.relevantPerSecond)
        breach = `It sent more than ${limits.relevantPerSecond} events a second that concern this server`
    },
    examined(isValid) {
      if (examined[next] === false) invalid--
      examined[next] = isValid
      next = (next + 1) % limits.examined
      if (!isValid && ++invalid >= limits.invalid)
        breach = `It sent ${limits.invalid} events that are not validly signed`
    },
  }
}
