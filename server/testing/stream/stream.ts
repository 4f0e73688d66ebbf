/**
 * All events of a test network as one stream of JSON: in process, and over a WebSocket in the form of Jetstream (version 1). An event is
 * readable when the call that caused it has been answered. The servers themselves offer their own events, also as JSON: see
 * `server/platform/xrpc/event-stream.ts`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createEventLog, type LoggedEvent } from './event-log.ts'
import type { Change, NetworkEvent } from './network-event.ts'
import { createSources, type Positions, type Source } from './sources.ts'
import { createSubscribers } from './subscribe.ts'

export interface EventStreamOptions {
  readonly now: () => Date
  /** How many events are kept: 100,000 by default. */
  readonly limit?: number
  /** Milliseconds that a consumer may take to read the bytes buffered for it: 30,000 by default. */
  readonly drainMs?: number
}

/** The kept events, and how far each server has been read. */
export interface EventStreamState {
  readonly events: readonly LoggedEvent[]
  readonly positions: Positions
}

export interface EventsOptions {
  /** `time_us` of the last event that the reader has; without it, the reader begins with the oldest kept event. */
  readonly since?: number
  /** Ends the reading. */
  readonly signal?: AbortSignal
  /** Whether to wait for further events after those of all answered calls. True by default. */
  readonly follow?: boolean
}

export interface EventStream {
  /** Adds a server, from its first event, or from where it was read last. @returns a function that removes it */
  attach(services: Source): () => void
  /** Yields events until the signal aborts or all readers are disconnected. @throws EventsDropped */
  events(options?: EventsOptions): AsyncIterable<NetworkEvent>
  /** Answers an upgrade to WebSocket. @returns false for a path other than `/subscribe`: nothing was done */
  handle(req: IncomingMessage, res: ServerResponse): boolean
  /** Ends all readers. Those over a WebSocket get the reason. */
  disconnectAll(reason: string): void
  /** Returns the state, which later events leave unchanged. Take it before copies of the stores: events after it are in these. */
  snapshot(): EventStreamState
  /** Replaces the state, removes all servers, and ends all readers. Attach the servers again when their stores are restored. */
  restore(state: EventStreamState): void
  /** Removes all events and servers, and ends all readers. Servers that are attached then are read from their first event. */
  clear(): void
  /** Ends all readers, and cuts connections that do not answer within `graceMs`. */
  close(graceMs?: number): Promise<void>
}

const defaultLimit = 100_000

export function createEventStream({ now, limit = defaultLimit, drainMs }: EventStreamOptions): EventStream {
  const log = createEventLog(limit)
  const sources = createSources(add)
  const subscribers = createSubscribers({ log, now, drainMs, collect: sources.collect })
  /** Ends the readers in this process. */
  let readers = new AbortController()
  let isClosed = false

  function add({ did, at, change }: Change): void {
    const time = Math.max(at * 1000, log.lastTime + 1)
    const event: NetworkEvent = { did, time_us: time, ...change }
    const collection = change.kind === 'commit' ? change.commit.collection : undefined
    log.add({ time, did, collection, json: JSON.stringify(event) })
  }

  function disconnectAll(reason: string): void {
    subscribers.disconnectAll(reason)
    readers.abort()
    if (!isClosed) readers = new AbortController()
  }

  function replace({ events, positions }: EventStreamState, reason: string): void {
    disconnectAll(reason)
    sources.restore(positions)
    log.replace(events)
  }

  return {
    attach: sources.attach,
    disconnectAll,
    clear: () => replace({ events: [], positions: new Map() }, 'The network was reset'),
    restore: (state) => replace(state, 'The network was restored'),

    snapshot: () => ({ events: log.all(), positions: new Map(sources.positions) }),

    close(graceMs) {
      isClosed = true
      disconnectAll('The network is closing')
      return subscribers.close(graceMs)
    },

    async *events({ since, signal, follow = true } = {}) {
      const ends = AbortSignal.any(signal ? [signal, readers.signal] : [readers.signal])
      await sources.collect()
      const position = since === undefined ? log.start : log.positionOf(since + 1)
      if (!follow) {
        for (const { json } of log.all().slice(position - log.start)) yield JSON.parse(json) as NetworkEvent
        return
      }
      for await (const { json } of log.follow(position, ends)) yield JSON.parse(json) as NetworkEvent
    },

    handle(req, res) {
      if (req.url?.replace(/\?.*$/, '') !== '/subscribe') return false
      void subscribers.open(req, res).catch(() => req.socket.destroy())
      return true
    },
  }
}
