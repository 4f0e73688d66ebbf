/**
 * Subscriptions over WebSocket: checks credentials and connection limits, sends messages as fast as the client reads, and ends a
 * connection when its credentials end or the client does not read.
 */
import type { IncomingMessage } from 'node:http'
import { clearDeadline, setDeadline } from '../../util/deadlines.ts'
import { type Framing, framingOf, subprotocols } from './event-stream.ts'
import { tooSlow } from './from-push.ts'
import type { IncomingCall } from './incoming.ts'
import type { AdmitPage, Authorize, Caller, Observation } from './method.ts'
import { projection, type Rename } from './project.ts'
import { closeCodes, createSockets, type Socket } from './sockets.ts'
import type { Subscription } from './subscription.ts'
import { asksForWebSocket } from './upgrade.ts'
import { readParams } from './validate.ts'
import { protocolError, XrpcError } from './xrpc-errors.ts'

export interface StreamsOptions<Word, Services> {
  readonly subscriptions: readonly Subscription<Word, Services>[]
  readonly services: Services
  readonly authorize: Authorize<Word>
  /** Checks connections of pages of other sites; all are admitted when absent. */
  readonly admitPage?: AdmitPage<Word>
  readonly onFailure: (error: unknown, nsid: string) => void
  /** Milliseconds between pings. */
  readonly heartbeatMs?: number
  /** Milliseconds that a client may take to read the bytes buffered for it. */
  readonly drainMs?: number
}

export interface Streams {
  has(nsid: string): boolean
  /** Connects a client. @param rename maps messages to its names. @throws XrpcError before it is connected; later errors are sent as a frame */
  open(call: IncomingCall, rename?: Rename): Promise<void>
  /** Ends all connections, and cuts those that do not answer within `graceMs`. */
  close(graceMs?: number): Promise<void>
}

/** Concurrent connections per address. Local programs are exempt, as from the rate limits. */
const perAddress = 100
/** With more unread bytes, the next message waits. */
const maxBufferedBytes = 1_000_000
const defaultDrainMs = 30_000

/** The error for a request that opens no stream (specification of event streams, "Connection"; RFC 6455 §4.2.2). */
function notUpgraded(nsid: string, { method, headers }: IncomingMessage): XrpcError {
  const message = `${nsid} is a subscription: connect to it by WebSocket`
  const refusal = (status: number, headers: Readonly<Record<string, string>>) =>
    new XrpcError('InvalidRequest', message, { status, headers })
  if (method !== 'GET') return refusal(405, { Allow: 'GET' })
  const isUpgrade =
    headers.upgrade?.toLowerCase() === 'websocket' && headers['sec-websocket-version'] === '13'
  // Its key is malformed.
  if (isUpgrade) return refusal(400, {})
  return refusal(426, { Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' })
}

export function createStreams<Word, Services>(options: StreamsOptions<Word, Services>): Streams {
  const sockets = createSockets({ heartbeatMs: options.heartbeatMs, subprotocols })
  const counts = new Map<string, number>()
  const table = new Map(
    options.subscriptions.map((subscription) => [
      subscription.nsid,
      { subscription, project: projection(subscription.schema.message) },
    ]),
  )

  /** Counts a connection. @returns a function that releases it */
  function admit(
    { nsid, connections }: Subscription<Word, Services>,
    account: string | undefined,
    { isLocal, source }: Caller,
  ): () => void {
    const limits: [string, number][] = [[`${nsid} ${account ?? source}`, connections]]
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

    async open({ name: { nsid }, query, caller, req, res, observation }, rename) {
      const entry = table.get(nsid)
      if (!entry || !asksForWebSocket(req)) throw notUpgraded(nsid, req)
      const { subscription, project } = entry
      const headers = { ...req.headers, authorization: authorizationOf(req) }
      const isToAdmit = caller.isForeignPage && !caller.isTrustedPage
      const admitted = isToAdmit ? await options.admitPage?.({ headers, caller }, subscription) : undefined
      const principal = await options.authorize({ headers, caller, observation }, subscription)
      if (observation) observation.principal = principal
      const params = paramsOrError(subscription, query)
      const release = admit(subscription, principal.account, caller)
      const socket = await sockets.accept(req, res).catch((error: unknown) => {
        release()
        throw error
      })
      const framing = framingOf(socket.subprotocol)
      const stream = createStream(socket, options.drainMs, framing, observation)
      stream.atEnd(release)
      for (const watch of [principal.watch, admitted?.watch]) if (watch) stream.atEnd(watch(stream.end))
      if (params instanceof XrpcError) stream.end(params)
      const { signal, end } = stream
      if (signal.aborted) return
      const call = { ...options.services, auth: principal.credentials, params, caller, signal, end }
      const messages = () => subscription.handler(call as Parameters<typeof subscription.handler>[0])
      const called = rename ? rename.type(nsid) : nsid
      const encode = (message: unknown) =>
        message instanceof Uint8Array
          ? framing.encoded(called, message)
          : framing.message(called, project(message, rename) as { $type: string })
      void pump(stream, messages, encode).catch((error: unknown) => {
        options.onFailure(error, nsid)
        stream.end(protocolError('InternalServerError'))
      })
    },

    close: (graceMs) => sockets.close(graceMs),
  }
}

/** Sends messages until the handler returns or the stream ends. @throws errors that are not the client's */
async function pump(
  stream: Stream,
  messages: () => AsyncIterable<unknown>,
  encode: (message: unknown) => Uint8Array | string,
): Promise<void> {
  try {
    for await (const message of messages()) {
      if (stream.signal.aborted) return
      await stream.send(encode(message))
    }
    stream.end()
  } catch (error) {
    if (stream.signal.aborted) return
    if (!(error instanceof XrpcError)) throw error
    stream.end(error)
  }
}

/** Returns the error of invalid parameters instead of throwing it: many clients of a WebSocket see only its frames. */
function paramsOrError({ schema }: Pick<Subscription, 'schema'>, query: string): unknown {
  try {
    return readParams(schema.parameters, query)
  } catch (error) {
    if (error instanceof XrpcError) return error
    throw error
  }
}

export interface Stream {
  /** Aborts when the stream ends. */
  readonly signal: AbortSignal
  /** Resolves when the next frame may be sent. @throws ConsumerTooSlow */
  send(frame: Uint8Array | string): Promise<void>
  /** Sends the error, if there is one, and closes the connection. */
  end(error?: XrpcError): void
  /** Closes the connection. @param reason at most 123 bytes */
  close(code: number, reason: string): void
  /** Calls `work` when the stream ends, at once if it has ended. */
  atEnd(work: () => void): void
}

/**
 * @param drainMs see `StreamsOptions`
 * @param framing writes the errors of `end`; they are not sent without it
 * @param observation of the request, while requests are observed
 */
export function createStream(
  socket: Socket,
  drainMs = defaultDrainMs,
  framing?: Pick<Framing, 'error'>,
  observation?: Observation,
): Stream {
  const ending = new AbortController()
  const { signal } = ending
  void socket.closed.then(() => ending.abort())
  function close(code: number, reason: string): void {
    if (signal.aborted) return
    socket.close(code, reason)
    ending.abort()
  }
  return {
    signal,
    close,
    async send(frame) {
      const sent = socket.send(frame)
      if (socket.bufferedBytes <= maxBufferedBytes) return
      const timeout = Promise.withResolvers<never>()
      const timer = setDeadline(() => timeout.reject(tooSlow()), drainMs)
      await Promise.race([sent, timeout.promise]).finally(() => clearDeadline(timer))
    },
    end(error) {
      if (error && !signal.aborted) {
        observation?.streamFailed(error)
        if (framing) void socket.send(framing.error(error))
      }
      close(closeCodeOf(error), error?.name ?? '')
    },
    atEnd(work) {
      if (signal.aborted) work()
      else signal.addEventListener('abort', work, { once: true })
    },
  }
}

function closeCodeOf(error: XrpcError | undefined): number {
  if (!error) return closeCodes.normal
  return error.name === 'InternalServerError' ? closeCodes.internalError : closeCodes.policy
}

/** Returns the Authorization header. Pages cannot set it on a WebSocket: they offer the subprotocol `bearer.<token>`. */
function authorizationOf({ headers }: IncomingMessage): string | undefined {
  const offered = headers['sec-websocket-protocol']?.split(',').map((text) => text.trim())
  const token = offered?.find((text) => text.startsWith('bearer.'))?.slice('bearer.'.length)
  return headers.authorization ?? (token === undefined ? undefined : `Bearer ${token}`)
}
