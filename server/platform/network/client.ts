/**
 * The HTTP client of this server. Requests go where `guard.ts` permits: the host is resolved once and the connection is made to
 * the address that was checked, which prevents DNS rebinding. It returns redirects and compressed bodies as they are, and each
 * request is limited in time and size.
 *
 * Beside it: calls of other personal data servers (`peer.ts`), their streams (`websocket.ts`), addresses of hosts (`names.ts`), handles
 * by DNS and by file (`handle-lookup.ts`).
 */
import type { Agent, IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import { pipeline, Readable } from 'node:stream'
import { clearDeadline, setDeadline } from '../../util/deadlines.ts'
import { XrpcError } from '../xrpc/xrpc-errors.ts'
import { connectionOptions } from './connections.ts'
import { checkedLookup, checkUrl, OutboundRefused } from './guard.ts'
import { type FindAddresses, headersOfNetwork } from './names.ts'

interface Target {
  /** Allows plain http, and addresses of this machine and its network; false by default. */
  readonly allowPrivate?: boolean
  /** The look-up of hosts. By default, `allowPrivate` means that the owner named them. */
  readonly findAddresses?: FindAddresses | undefined
}

/** Time limits in milliseconds. */
interface IdleLimits {
  /** Milliseconds in which `idleBytes` must be sent or arrive; no limit by default. */
  readonly idleMs?: number
  /** 1 by default. */
  readonly idleBytes?: number
  /** Milliseconds in which the response must begin after a streamed body; `idleMs` by default. */
  readonly processingMs?: number
}

export interface OutboundRequest {
  /** GET by default. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'PROPFIND' | 'MKCOL' | 'MOVE'
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined
  /** Milliseconds from the look-up of the host to the last byte; 5 s by default, `Infinity` for none. */
  readonly timeoutMs?: number
  /** Size limit of the response body, for its status; 64 KiB by default. */
  readonly maxBytes?: number | ((status: number) => number)
  /** Aborts the request, and the response while it is read. */
  readonly signal?: AbortSignal | undefined
}

type Options = Target & IdleLimits & OutboundRequest

export interface OutboundResponse<Body = Buffer> {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Body
}

/** Errors of requests: OutboundRefused, OutboundFailed; XrpcError of a streamed body or of the signal. */
export interface Client {
  /** Resolves with any status when the headers have arrived. A body that is not read must be aborted by the signal. */
  open(target: string, request?: OutboundRequest): Promise<OutboundResponse<AsyncIterable<Buffer>>>
  /** Resolves with any status when the body has arrived. */
  request(target: string, request?: OutboundRequest): Promise<OutboundResponse>
}

/** The request was sent and got no complete response. A retry may succeed. */
export class OutboundFailed extends Error {
  override name = 'OutboundFailed'
}

/** The response exceeds its limit. */
export class ResponseTooLarge extends OutboundFailed {}

/** Nothing was sent or has arrived within `idleMs`. */
export class ServerSilent extends OutboundFailed {}

/** The response was incomplete after `timeoutMs`. */
export class RequestTooLong extends OutboundFailed {}

const poolLimits = {
  keepAlive: true,
  /** Connections per server. */
  maxSockets: 64,
  maxFreeSockets: 16,
  /** Milliseconds after which an unused connection is closed. */
  timeout: 30_000,
}

/** State that the requests of a client share. */
interface Pool {
  /** Agents by protocol. */
  readonly agents: Readonly<Record<string, Agent>>
  readonly closing: AbortSignal
}

export interface ClientOptions extends Target, IdleLimits, Pick<OutboundRequest, 'timeoutMs'> {
  /** Closes the connections, and aborts all requests. */
  readonly signal: AbortSignal
}

/** Creates a client that keeps connections. */
export function createClient(options: ClientOptions): Client {
  const { signal: closing, ...defaults } = options
  const agents = { 'http:': new (http().Agent)(poolLimits), 'https:': new https.Agent(poolLimits) }
  const close = () => {
    for (const agent of Object.values(agents)) agent.destroy()
  }
  closing.addEventListener('abort', close, { once: true })
  const send = (target: string, request?: OutboundRequest) =>
    open(target, { ...defaults, ...request }, { agents, closing })
  return { open: send, request: async (target, request) => whole(await send(target, request)) }
}

/**
 * Requests a URL over a connection of its own; usually one that another party chose (a did:web document, a push service).
 * Resolves with any status.
 * @throws OutboundRefused, OutboundFailed
 */
export async function guardedFetch(target: string, options: Options = {}): Promise<OutboundResponse> {
  return whole(await open(target, options))
}

async function whole(response: OutboundResponse<AsyncIterable<Buffer>>): Promise<OutboundResponse> {
  return { ...response, body: await collect(response.body) }
}

/** Reads a body into memory. @param onChunk called with the number of bytes of each part */
export async function collect(
  body: AsyncIterable<Buffer>,
  onChunk?: (bytes: number) => void,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of body) {
    // Throwing out of the loop destroys the response and its connection.
    onChunk?.(chunk.length)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function open(
  target: string,
  options: Options,
  pool?: Pool,
): Promise<OutboundResponse<AsyncIterable<Buffer>>> {
  const url = checkUrl(target, options.allowPrivate ?? false)
  const { maxBytes: limit = 65_536 } = options
  const life = startLife(url.host, options, pool?.closing)
  try {
    // A stream that is destroyed before it is read would reject with no handler.
    life.signal.throwIfAborted()
    const response = await send(url, options, life, pool?.agents)
    life.answered()
    const { statusCode: status = 0, headers } = response
    const maxBytes = typeof limit === 'number' ? limit : limit(status)
    if (Number(headers['content-length']) > maxBytes) throw tooLarge(url.host, maxBytes)
    return { status, headers, body: received(response, maxBytes, life) }
  } catch (error) {
    throw life.fail(error)
  }
}

function send(url: URL, options: Options, life: Life, agents?: Pool['agents']): Promise<IncomingMessage> {
  const { method = 'GET', headers, body, allowPrivate = false, findAddresses } = options
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { request: create } = url.protocol === 'https:' ? https : http()
  const request = create(url, {
    // false: a new connection. A pooled one, or a proxy that resolves the host itself, would evade the check of the address.
    ...(connectionOptions(url) ?? { agent: agents?.[url.protocol] ?? false }),
    method,
    headers: { 'accept-encoding': 'identity', ...headers, ...headersOfNetwork() },
    lookup: checkedLookup(allowPrivate, life.signal, findAddresses),
    signal: life.signal,
  })
  request.on('response', resolve).on('error', (error: NodeJS.ErrnoException) => {
    // The server closed the kept connection while the request was under way. A request without a body can be repeated.
    const isStale = request.reusedSocket && error.code === 'ECONNRESET' && body === undefined
    if (isStale && !life.signal.aborted) send(url, options, life, agents).then(resolve, reject)
    else reject(error)
  })
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) request.end(body)
  else pipeline(Readable.from(sent(body, life)), request, (error) => error && reject(error))
  return promise
}

async function* sent(body: AsyncIterable<Uint8Array>, life: Life): AsyncIterable<Uint8Array> {
  for await (const chunk of body) {
    life.progress(chunk.length)
    yield chunk
  }
  life.sent()
}

async function* received(response: IncomingMessage, maxBytes: number, life: Life): AsyncIterable<Buffer> {
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(life.host, maxBytes)
      life.progress(chunk.length)
      yield chunk
    }
  } catch (error) {
    throw life.fail(error)
  } finally {
    life.end()
  }
}

type Life = ReturnType<typeof startLife>

/** The reason when a request has ended: by default each would create an exception, with its stack. */
const ended = new OutboundFailed('the request has ended')

/** How long a request lasts: until it ends, is aborted, or a time limit is over. */
function startLife(host: string, options: Options, closing?: AbortSignal) {
  const {
    timeoutMs = 5_000,
    idleMs = Number.POSITIVE_INFINITY,
    idleBytes = 1,
    processingMs = idleMs,
  } = options
  const over = new AbortController()
  const signals = [over.signal, options.signal, closing].filter((each) => each !== undefined)
  const signal = AbortSignal.any(signals)
  const abortAfter = (ms: number, error: () => OutboundFailed) =>
    ms === Number.POSITIVE_INFINITY || signal.aborted
      ? undefined
      : setDeadline(() => over.abort(error()), ms).unref()
  const late = () => new RequestTooLong(`${host}: no complete response within ${timeoutMs} ms`)
  const silent = () => new ServerSilent(`${host}: the server does not respond`)
  const total = abortAfter(timeoutMs, late)
  let idle = abortAfter(idleMs, silent)
  let bytes = 0

  function wait(ms: number): void {
    clearDeadline(idle)
    idle = abortAfter(ms, silent)
  }

  function end(): void {
    clearDeadline(total)
    clearDeadline(idle)
    over.abort(ended)
  }

  return {
    signal,
    host,
    answered: () => wait(idleMs),
    /** The streamed body was sent. */
    sent: () => wait(processingMs),
    /** Bytes have arrived or were sent. */
    progress(count: number): void {
      bytes += count
      if (bytes < idleBytes) return
      bytes = 0
      idle?.refresh()
    },
    end,
    /** Ends the request. @returns the error for the caller */
    fail(error: unknown): Error {
      const cause = isKnown(error) || !signal.aborted ? error : signal.reason
      end()
      return isKnown(cause) ? cause : new OutboundFailed(`${host}: ${messageOf(cause)}`, { cause })
    },
  }
}

function isKnown(error: unknown): error is Error {
  return [XrpcError, OutboundRefused, OutboundFailed].some((kind) => error instanceof kind)
}

function tooLarge(host: string, maxBytes: number): ResponseTooLarge {
  return new ResponseTooLarge(`${host}: the response is larger than ${maxBytes} bytes`)
}

/** Errors of the look-up of a host, whose messages name system calls and the host again. */
const lookUpErrors: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no server has this name',
  EAI_AGAIN: 'the name could not be looked up',
}

/** If several addresses of a host fail, the error has a code but no message. */
function messageOf(error: unknown): string {
  const { message, code = '' } = error as NodeJS.ErrnoException
  return lookUpErrors[code] || message || code || 'no response'
}

/** An import would evaluate every export of node:http, including Node's fetch (50 ms and 13 MB). */
function http(): typeof import('node:http') {
  return process.getBuiltinModule('node:http')
}
