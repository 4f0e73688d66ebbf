/** The latest events of the network, in the order in which they were added. Consumers read them at their own pace. */

/** An event that is kept. */
export interface LoggedEvent {
  /** `time_us` of the event. */
  readonly time: number
  readonly did: string
  /** Collection of the record; undefined for other events. */
  readonly collection: string | undefined
  /** The event as JSON. */
  readonly json: string
}

export interface EventLog {
  /** Positions of the first event and after the last one. A position stays with its event. */
  readonly start: number
  readonly end: number
  /** Time of the last event; 0 if there was none. */
  readonly lastTime: number
  /** Position of the first event that is not before a time. */
  positionOf(time: number): number
  add(event: LoggedEvent): void
  /**
   * Yields the events from a position on, until the signal aborts.
   * @throws EventsDropped
   */
  follow(position: number, signal: AbortSignal): AsyncGenerator<LoggedEvent, void, void>
  /** Returns the kept events. */
  all(): readonly LoggedEvent[]
  /** Replaces all events. Consumers must have ended. */
  replace(events: readonly LoggedEvent[]): void
}

/** The consumer has fallen behind by more events than are kept. */
export class EventsDropped extends Error {
  override name = 'EventsDropped'
}

/** So many events more than the limit are dropped at once, because that moves all others. */
const slack = 1000

/** @param limit how many events are kept */
export function createEventLog(limit: number): EventLog {
  let kept: LoggedEvent[] = []
  let start = 0
  let changed = Promise.withResolvers<void>()

  function wake(): void {
    changed.resolve()
    changed = Promise.withResolvers()
  }

  return {
    get start() {
      return start
    },
    get end() {
      return start + kept.length
    },
    get lastTime() {
      return kept.at(-1)?.time ?? 0
    },
    positionOf(time) {
      let [low, high] = [0, kept.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if ((kept[middle]?.time ?? 0) < time) low = middle + 1
        else high = middle
      }
      return start + low
    },
    add(event) {
      kept.push(event)
      if (kept.length >= limit + slack) {
        const excess = kept.length - limit
        kept = kept.slice(excess)
        start += excess
      }
      wake()
    },
    async *follow(from, signal) {
      signal.addEventListener('abort', wake, { once: true })
      for (let position = from; !signal.aborted; ) {
        if (position < start) throw new EventsDropped(`Behind by more than the ${limit} events that are kept`)
        const event = kept[position - start]
        if (event) {
          position++
          yield event
        } else {
          await changed.promise
        }
      }
    },
    all: () => kept.slice(),
    replace(events) {
      start += kept.length
      kept = [...events]
      wake()
    },
  }
}
