/** The WebSocket `/subscribe` of Jetstream (version 1): events as JSON texts, filtered by the wishes of the consumer. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { closeCodes, createSockets } from '../../platform/xrpc/sockets.ts'
import { createStream, type Stream } from '../../platform/xrpc/streams.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { type EventLog, EventsDropped } from './event-log.ts'
import { type Filter, InvalidOptions, parseMessage, parseQuery, type Subscription } from './options.ts'

interface Deps {
  readonly log: EventLog
  readonly now: () => Date
  /** Adds all events that are on disk now to the log. */
  readonly collect: () => Promise<void>
  /** Milliseconds that a consumer may take to read the bytes buffered for it. */
  readonly drainMs?: number | undefined
}

export interface Subscribers {
  /** Connects a consumer, or answers with the reason why not. */
  open(req: IncomingMessage, res: ServerResponse): Promise<void>
  /** Ends all connections. */
  disconnectAll(reason: string): void
  /** Ends all connections, cuts those that do not answer within `graceMs`, and refuses new ones. */
  close(graceMs?: number): Promise<void>
}

/** Bytes of an `options_update`, which may name 10,000 accounts. */
const maxPayload = 10_000_000
/** Bytes of the reason of a close (RFC 6455 §5.5). */
const maxReasonBytes = 123

export function createSubscribers({ log, now, collect, drainMs }: Deps): Subscribers {
  const sockets = createSockets({ maxPayload })
  const streams = new Set<Stream>()

  /** Where a consumer begins. A cursor ahead of the clock is none. */
  function positionOf(cursor: number | undefined): number {
    const present = Math.max(now().getTime() * 1000, log.lastTime)
    return cursor === undefined || cursor > present ? log.end : log.positionOf(cursor)
  }

  async function run(stream: Stream, subscription: Subscription, hello: Hello, start: number): Promise<void> {
    let position = start
    if (subscription.requireHello) {
      await hello.received
      await collect()
      position = positionOf(subscription.cursor)
    }
    for await (const event of log.follow(position, stream.signal)) {
      if (hello.filter(event)) await stream.send(event.json)
    }
  }

  return {
    async open(req, res) {
      let subscription: Subscription
      try {
        subscription = parseRequest(req)
      } catch (error) {
        if (!(error instanceof InvalidOptions)) throw error
        return refuse(res, 400, error.message)
      }
      await collect()
      // Before the client is connected: it must get the events that it causes then.
      const position = positionOf(subscription.cursor)
      const socket = await sockets.accept(req, res).catch((error: unknown) => {
        if (!(error instanceof XrpcError)) throw error
        refuse(res, error.status, error.message)
      })
      if (!socket) return
      const stream = createStream(socket, drainMs)
      streams.add(stream)
      stream.atEnd(() => streams.delete(stream))
      const hello = createHello(subscription.filter, stream.signal)
      socket.onText((text) => {
        try {
          hello.receive(parseMessage(text))
        } catch (error) {
          close(stream, closeCodes.policy, (error as Error).message)
        }
      })
      void run(stream, subscription, hello, position).catch((error: unknown) => {
        const isSlow = error instanceof EventsDropped || error instanceof XrpcError
        const reason = isSlow ? `ConsumerTooSlow: ${error.message}` : 'The server failed'
        close(stream, isSlow ? closeCodes.policy : closeCodes.internalError, reason)
      })
    },

    disconnectAll(reason) {
      for (const stream of streams) close(stream, closeCodes.goingAway, reason)
    },

    close: (graceMs) => sockets.close(graceMs),
  }
}

/** @throws InvalidOptions */
function parseRequest(req: IncomingMessage): Subscription {
  if (req.headers['socket-encoding']?.includes('zstd'))
    throw new InvalidOptions(
      'Socket-Encoding: zstd is not offered here: leave it out, events are sent as JSON',
    )
  return parseQuery(new URL(req.url ?? '/', 'http://localhost').searchParams)
}

/** The wishes of a consumer, which change with each `options_update`. */
interface Hello {
  readonly filter: Filter
  /** Resolves with the first update, or when the connection ends. */
  readonly received: Promise<void>
  /** @param filter undefined for a message that is ignored */
  receive(filter: Filter | undefined): void
}

function createHello(first: Filter, signal: AbortSignal): Hello {
  const { promise: received, resolve } = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => resolve(), { once: true })
  let filter = first
  return {
    received,
    get filter() {
      return filter
    },
    receive(next) {
      if (!next) return
      filter = next
      resolve()
    },
  }
}

function close(stream: Stream, code: number, reason: string): void {
  // The cut may leave part of a character, which the reason must not contain.
  const bytes = Buffer.from(reason).subarray(0, maxReasonBytes)
  stream.close(code, bytes.toString().replace(/\uFFFD$/, ''))
}

function refuse(res: ServerResponse, status: number, message: string): void {
  res.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(message)
}
