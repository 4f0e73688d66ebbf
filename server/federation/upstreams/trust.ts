/** Decides how fast an upstream is read, and cuts it off if it sends invalid proofs or too much. */
import { createTokenBucket } from '../../util/token-bucket.ts'

export interface Trust {
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

/** Invalid events among the last ones that were examined. */
const maxInvalid = 20
const examinedEvents = 1000
/** Events per second that concern this server. */
const maxRate = 2000
/** Milliseconds after which an event counts as replayed: a server sends replayed events as fast as it can. */
const replayedMs = 60_000
/** Limits of all events of an upstream: several times the rate of a relay of the whole network. */
const readEvents = { perSecond: 20_000, capacity: 200_000 }
const readBytes = { perSecond: 100_000_000, capacity: 1_000_000_000 }
/** Limits of events that are not replayed. A server that was read too slowly sends the events of `replayedMs` at once. */
const liveEvents = { perSecond: 5000, capacity: 300_000 }
const liveBytes = { perSecond: 20_000_000, capacity: 1_200_000_000 }
/** Messages that are no events: a server sends one when a connection begins. */
const notices = { perSecond: 0.1, capacity: 100 }

/** @param elapsed milliseconds by a clock that only goes forward */
export function createTrust(now: () => Date, elapsed: () => number = () => performance.now()): Trust {
  const [reading, live] = [
    {
      events: createTokenBucket({ ...readEvents, elapsed }),
      bytes: createTokenBucket({ ...readBytes, elapsed }),
    },
    {
      events: createTokenBucket({ ...liveEvents, elapsed }),
      bytes: createTokenBucket({ ...liveBytes, elapsed }),
    },
  ]
  const noticeBucket = createTokenBucket({ ...notices, elapsed })
  /** Whether each of the last events was valid; the oldest is replaced. */
  const examined: boolean[] = []
  let next = 0
  let invalid = 0
  let second = 0
  let inSecond = 0
  let breach: string | undefined

  const isReplayed = (at: string) => !(Math.abs(now().getTime() - Date.parse(at)) < replayedMs)

  return {
    get breach() {
      return breach
    },
    read(bytes, at) {
      if (at === undefined || !isReplayed(at)) {
        if (live.events.take() > 0) breach = `It sent more than ${liveEvents.perSecond} events a second`
        if (live.bytes.take(bytes) > 0) breach = `It sent more than ${liveBytes.perSecond / 1e6} MB a second`
      }
      return Math.max(reading.events.take(), reading.bytes.take(bytes))
    },
    noticed() {
      if (noticeBucket.take() > 0)
        breach = `It sent more than ${notices.capacity} messages that are no events`
    },
    received(at) {
      if (isReplayed(at)) return
      const present = Math.floor(elapsed() / 1000)
      if (present !== second) [second, inSecond] = [present, 0]
      if (++inSecond > maxRate)
        breach = `It sent more than ${maxRate} events a second that concern this server`
    },
    examined(isValid) {
      if (examined[next] === false) invalid--
      examined[next] = isValid
      next = (next + 1) % examinedEvents
      if (!isValid && ++invalid >= maxInvalid)
        breach = `It sent ${maxInvalid} events that are not validly signed`
    },
  }
}
