/**
 * Subscriptions over WebSocket: checks credentials and connection limits, and ends a connection when its credentials end or the
 * client reads too slowly.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { protocolError, XrpcError } from './errors.ts'
import { errorFrame, messageFrame } from './event-stream.ts'
import type { Authorize, Caller } from './method.ts'
import { type Projection, projection } from './project.ts'
import { closeCodes, createSockets, type Socket } from './sockets.ts'
import type { Subscription } from './subscription.ts'
import { asksForWebSocket } from './upgrade.ts'
import { readParams } from './validate.ts'

export interface StreamsOptions<Word, Services> {
  readonly subscriptions: readonly Subscription<Word, Services>[]
  readonly services: Services
  readonly authorize: Authorize<Word>
  readonly onFailure: (error: unknown, nsid: string) => void
  /** Milliseconds between pings. */
  readonly heartbeatMs?: number
}

export interface Streams {
  has(nsid: string): boolean
  /** Connects a client. @throws XrpcError before it is connected; later errors are sent as a frame */
  open(nsid: string, query: string, caller: Caller, req: IncomingMessage, res: ServerResponse): Promise<void>
  /** Ends all connections. */
  close(): Promise<void>
}

/** Concurrent connections per address. Local programs are exempt, as from the rate limits. */
const perAddress = 100
/** A client with more unread bytes is too slow. */
const maxBufferedBytes = 1_000_000

export function createStreams<Word, Services>(options: StreamsOptions<Word, Services>): Streams {
  const sockets = createSockets(options.heartbeatMs === undefined ? {} : { heartbeatMs: options.heartbeatMs })
  const counts = new Map<string, number>()
  const table = new Map(
    options.subscriptions.map((subscription) => [
      subscription.nsid,
      { subscription, project: projection(subscription.schema.message) },
    ]),
  )

  /** Counts a connection. @returns a function that releases it */
  function admit(account: string | undefined, { isLocal, source }: Caller, perAccount: number): () => void {
    const limits: [string, number][] = []
    if (account !== undefined) limits.push([account, perAccount])
    if (!isLocal) limits.push([source, perAddress])
    for (const [key, limit] of limits) {
      if ((counts.get(key) ?? 0) >= limit)
        throw protocolError(
          'RateLimitExceeded',
          `At most ${limit} connections are allowed at once. Close one first.`,
        )
    }
    for (const [key] of limits) counts.set(key, (counts.get(key) ?? 0) + 1)
    return () => {
      for (const [key] of limits) {
        const left = (counts.get(key) ?? 0) - 1
        if (left > 0) counts.set(key, left)
        else counts.delete(key)
      }
    }
  }

  return {
    has: (nsid) => table.has(nsid),

    async open(nsid, query, caller, req, res) {
      const entry = table.get(nsid)
      if (!entry || !asksForWebSocket(req)) {
        throw protocolError('InvalidRequest', `${nsid} is a subscription: connect to it by WebSocket`)
      }
      const { subscription, project } = entry
      const headers = { ...req.headers, authorization: authorizationOf(req) }
      const principal = await options.authorize({ headers, caller }, subscription)
      const params = readParams(subscription.schema.parameters, query)
      const release = admit(principal.account, caller, subscription.connections)
      const socket = await sockets.accept(req, res).catch((error: unknown) => {
        release()
        throw error
      })
      const stream = createStream(nsid, socket, project)
      stream.atEnd(release)
      try {
        if (principal.watch) stream.atEnd(principal.watch(stream.end))
        if (!stream.isOpen()) return
        const call = { ...options.services, auth: principal.credentials, params, caller, send: stream.send }
        stream.atEnd(subscription.handler(call as Parameters<typeof subscription.handler>[0]))
      } catch (error) {
        options.onFailure(error, nsid)
        stream.end(protocolError('InternalServerError'))
      }
    },

    close: () => sockets.close(),
  }
}

interface Stream {
  isOpen(): boolean
  send(message: unknown): void
  /** Sends the error and closes the connection. */
  end(error: XrpcError): void
  /** Calls `work` when the stream ends, at once if it has ended. */
  atEnd(work: () => void): void
}

function createStream(nsid: string, socket: Socket, project: Projection): Stream {
  let isOpen = true
  const endings: (() => void)[] = []
  const over = () => {
    isOpen = false
    for (const work of endings.splice(0)) work()
  }
  const end = (error: XrpcError) => {
    if (!isOpen) return
    socket.send(errorFrame(error))
    const isOurs = error.name === 'InternalServerError'
    socket.close(isOurs ? closeCodes.internalError : closeCodes.policy, error.name)
    over()
  }
  void socket.closed.then(over)
  return {
    isOpen: () => isOpen,
    send(message) {
      if (!isOpen) return
      if (socket.bufferedBytes <= maxBufferedBytes) {
        socket.send(messageFrame(nsid, project(message) as { $type: string }))
      } else {
        end(new XrpcError('ConsumerTooSlow', 'The client reads too slowly. Connect again.'))
      }
    },
    end,
    atEnd(work) {
      if (isOpen) endings.push(work)
      else work()
    },
  }
}

/** Returns the Authorization header. Pages cannot set it on a WebSocket: they offer the subprotocol `bearer.<token>`. */
function authorizationOf({ headers }: IncomingMessage): string | undefined {
  const offered = headers['sec-websocket-protocol']?.split(',').map((text) => text.trim())
  const token = offered?.find((text) => text.startsWith('bearer.'))?.slice('bearer.'.length)
  return headers.authorization ?? (token === undefined ? undefined : `Bearer ${token}`)
}
