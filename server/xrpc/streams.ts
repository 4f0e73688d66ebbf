/**
 * Subscriptions over WebSocket: who may connect, how many at once, and an end as soon as the credentials, the client's patience
 * or the server's do not hold any more.
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

/** Calls `end` once, when the credentials have stopped to hold; be it before it returns. @returns what stops the watching */
export type WatchCredentials = (credentials: unknown, end: (error: XrpcError) => void) => () => void

export interface StreamsOptions<Word, Services> {
  readonly subscriptions: readonly Subscription<Word, Services>[]
  readonly services: Services
  readonly authorize: Authorize<Word>
  /** The account that credentials stand for. */
  readonly accountOf: (credentials: unknown) => string | undefined
  readonly watchCredentials: WatchCredentials
  readonly onFailure: (error: unknown, nsid: string) => void
  /** Milliseconds between pings. */
  readonly heartbeatMs?: number
}

export interface Streams {
  has(nsid: string): boolean
  /** Connects a client. @throws XrpcError before it is connected; later faults are told in the stream */
  open(nsid: string, query: string, caller: Caller, req: IncomingMessage, res: ServerResponse): Promise<void>
  /** Ends all. */
  close(): Promise<void>
}

/** Connections that an address may have at once. This machine itself is spared, as from the rate limits. */
const perAddress = 100
/** Who leaves more than this unread is too slow. */
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

  /** Counts a connection. @returns what counts it out again */
  function admit(account: string | undefined, { isLocal, source }: Caller, perAccount: number): () => void {
    const limits: [string, number][] = []
    if (account !== undefined) limits.push([account, perAccount])
    if (!isLocal) limits.push([source, perAddress])
    for (const [key, limit] of limits) {
      if ((counts.get(key) ?? 0) >= limit)
        throw protocolError(
          'RateLimitExceeded',
          `There may be ${limit} connections at once. Close one first.`,
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
      const auth = await options.authorize({ header: authorizationOf(req), caller }, subscription)
      const params = readParams(subscription.schema.parameters, query)
      const leave = admit(options.accountOf(auth), caller, subscription.connections)
      const socket = await sockets.accept(req, res).catch((error: unknown) => {
        leave()
        throw error
      })
      const stream = createStream(nsid, socket, project)
      stream.atEnd(leave)
      try {
        stream.atEnd(options.watchCredentials(auth, stream.end))
        if (!stream.isOpen()) return
        const call = { ...options.services, auth, params, caller, send: stream.send }
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
  /** Tells the client why, and closes. */
  end(error: XrpcError): void
  /** Calls `work` when it ends, or at once when it has. */
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
        end(new XrpcError('ConsumerTooSlow', 'More has been sent than was read'))
      }
    },
    end,
    atEnd(work) {
      if (isOpen) endings.push(work)
      else work()
    },
  }
}

/**
 * Pages cannot set headers on a WebSocket: they give their token as a subprotocol, `bearer.<token>`. Not in the URL, for URLs
 * are logged.
 */
function authorizationOf({ headers }: IncomingMessage): string | undefined {
  const offered = headers['sec-websocket-protocol']?.split(',').map((text) => text.trim())
  const token = offered?.find((text) => text.startsWith('bearer.'))?.slice('bearer.'.length)
  return headers.authorization ?? (token === undefined ? undefined : `Bearer ${token}`)
}
