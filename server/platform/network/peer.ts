/** XRPC calls to another personal data server, with streamed bodies. Limited in time and size; redirects are not followed. */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { isObject, isString, parseJson } from '../util/json.ts'
import { XrpcError } from '../xrpc/errors.ts'
import { OutboundRefused } from './guard.ts'
import { OutboundFailed, ResponseTooLarge } from './guarded-fetch.ts'
import { createHttpClient, type HttpClient } from './http-client.ts'
import type { FindAddresses } from './names.ts'

export interface PeerCall {
  /** Parameters, as in a query string. */
  readonly query?: string | undefined
  /** Access, refresh or service token. */
  readonly token?: string | undefined
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined
}

/** A body that is streamed. */
export interface Transfer {
  /** Media type. */
  readonly encoding: string
  /** In bytes, if known. */
  readonly length: number | undefined
  readonly body: AsyncIterable<Uint8Array>
}

/** Methods have our names. Errors: XrpcError as the server answered, OutboundRefused, OutboundFailed. */
export interface Peer {
  /** Calls a query. Resolves with its JSON object. */
  get(nsid: string, call: PeerCall): Promise<Record<string, unknown>>
  /** Calls a procedure. @param input sent as JSON; nothing is sent when it is undefined */
  post(nsid: string, input: unknown, call: PeerCall): Promise<Record<string, unknown>>
  /** Calls a query whose output is not JSON. @param maxBytes more bytes are an error */
  download(nsid: string, maxBytes: number, call: PeerCall): Promise<Transfer>
  /** Calls a procedure whose input is not JSON. */
  upload(nsid: string, transfer: Transfer, call: PeerCall): Promise<Record<string, unknown>>
}

export interface Peers {
  at(origin: string): Peer
  /** Closes the connections. */
  close(): void
}

/** Milliseconds in which a server must answer a call, or send or take a part of a stream. */
const defaultIdleMs = 30_000
/** Bytes of a stream that count as a part: a slower server would hold a connection forever. */
const partBytes = 16_384
/** Milliseconds that a server may take to process an upload. */
const processingMs = 15 * 60_000
/** Limit of a JSON response in bytes. */
const maxJsonBytes = 2_000_000

export interface PeerOptions {
  /** Allows plain http, and addresses of this machine and its network. */
  readonly allowPrivate: boolean
  /** The look-up of hosts; by default, `allowPrivate` means that the owner named them. */
  readonly findAddresses?: FindAddresses | undefined
  /** Maps our names of methods to the network's. */
  readonly networkName: (nsid: string) => string
  /** Replaces the time limit of a silent server; tests use a low one. */
  readonly idleMs?: number
}

export function createPeers(options: PeerOptions): Peers {
  const client = createHttpClient(options.allowPrivate, options.findAddresses)
  return { at: (origin) => createPeer(client, origin, options), close: () => client.close() }
}

function createPeer(client: HttpClient, origin: string, options: PeerOptions): Peer {
  const { networkName, idleMs: maxIdleMs = defaultIdleMs } = options

  async function send(
    nsid: string,
    { query, token, signal }: PeerCall,
    life: Lifetime,
    body?: { readonly stream: Readable; readonly headers: OutgoingHttpHeaders },
    method: 'GET' | 'POST' = 'GET',
  ): Promise<IncomingMessage> {
    const abort = () => life.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    life.ended.addEventListener('abort', () => signal?.removeEventListener('abort', abort))
    if (signal?.aborted) abort()
    const headers: OutgoingHttpHeaders = {
      accept: '*/*',
      'accept-encoding': 'identity',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(method === 'POST' && !body && { 'content-length': 0 }),
      ...body?.headers,
    }
    const url = `${origin}/xrpc/${networkName(nsid)}${query ? `?${query}` : ''}`
    const response = await client.request(url, { method, headers, body: body?.stream, signal: life.ended })
    life.answered()
    const { statusCode: status = 0 } = response
    if (status === 200) return response
    throw errorOf(origin, status, parseJson(await collect(response, life)))
  }

  async function json(work: (life: Lifetime) => Promise<IncomingMessage>): Promise<Record<string, unknown>> {
    const life = createLifetime(maxIdleMs)
    try {
      const bytes = await collect(await work(life), life)
      const value = bytes.length === 0 ? {} : parseJson(bytes)
      if (!isObject(value)) throw new Error('the response is not JSON')
      return value
    } catch (error) {
      throw asOutbound(origin, error, life)
    } finally {
      life.abort()
    }
  }

  return {
    get: (nsid, call) => json((life) => send(nsid, call, life)),
    post: (nsid, input, call) => json((life) => send(nsid, call, life, jsonBody(input), 'POST')),
    async download(nsid, maxBytes, call) {
      const life = createLifetime(maxIdleMs)
      try {
        const response = await send(nsid, call, life)
        const length = Number(response.headers['content-length'] ?? Number.NaN)
        if (length > maxBytes) throw tooLarge(maxBytes)
        return {
          encoding:
            /^[\w.+/-]+/.exec(response.headers['content-type'] ?? '')?.[0] ?? 'application/octet-stream',
          length: Number.isNaN(length) ? undefined : length,
          body: received(origin, response, maxBytes, life),
        }
      } catch (error) {
        const reason = asOutbound(origin, error, life)
        life.abort()
        throw reason
      }
    },
    upload(nsid, { encoding, length, body }, call) {
      return json((life) => {
        const headers = {
          'content-type': encoding,
          ...(length !== undefined && { 'content-length': length }),
        }
        return send(nsid, call, life, { stream: Readable.from(sent(body, life)), headers }, 'POST')
      })
    },
  }
}

function jsonBody(input: unknown) {
  if (input === undefined) return undefined
  const bytes = Buffer.from(JSON.stringify(input))
  const headers = { 'content-type': 'application/json', 'content-length': bytes.length }
  return { stream: Readable.from([bytes]), headers }
}

type Lifetime = ReturnType<typeof createLifetime>

/** How long a call lasts: until it ends, is aborted, or the server is silent for too long. */
function createLifetime(maxIdleMs: number) {
  const over = new AbortController()
  const silent = () => over.abort(new Error('the server does not respond'))
  let idle = setTimeout(silent, maxIdleMs)
  let bytes = 0
  return {
    ended: over.signal,
    /** The response has begun. */
    answered: () => void idle.refresh(),
    /** Bytes have arrived or were sent. */
    progress(count: number) {
      bytes += count
      if (bytes < partBytes) return
      bytes = 0
      idle.refresh()
    },
    /** The body was sent: the response may take long. */
    process() {
      clearTimeout(idle)
      idle = setTimeout(silent, Math.max(maxIdleMs, processingMs))
      if (over.signal.aborted) clearTimeout(idle)
    },
    abort(reason?: unknown) {
      clearTimeout(idle)
      over.abort(reason)
    },
  }
}

async function collect(response: IncomingMessage, life: Lifetime): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxJsonBytes) throw tooLarge(maxJsonBytes)
    life.progress(chunk.length)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function* received(
  origin: string,
  response: IncomingMessage,
  maxBytes: number,
  life: Lifetime,
): AsyncIterable<Uint8Array> {
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      life.progress(chunk.length)
      yield chunk
    }
  } catch (error) {
    throw asOutbound(origin, error, life)
  } finally {
    life.abort()
  }
}

async function* sent(body: AsyncIterable<Uint8Array>, life: Lifetime): AsyncIterable<Uint8Array> {
  for await (const chunk of body) {
    life.progress(chunk.length)
    yield chunk
  }
  life.process()
}

function tooLarge(maxBytes: number): Error {
  return new ResponseTooLarge(`the response is larger than ${maxBytes} bytes`)
}

/** Longest text of another server that is kept. */
const maxMessage = 300

/** An error response, with the host in its message. Errors without a name come from a proxy before the server. */
function errorOf(origin: string, status: number, body: unknown): Error {
  const name = isObject(body) && isString(body.error) ? body.error : ''
  if (status < 400 || !/^[A-Za-z]\w{0,63}$/.test(name)) return new Error(`the server answered ${status}`)
  const message = isObject(body) && isString(body.message) ? body.message.slice(0, maxMessage) : name
  return new XrpcError(name, `${new URL(origin).host}: ${message}`, { status })
}

function asOutbound(origin: string, error: unknown, life: Lifetime): unknown {
  if (error instanceof XrpcError || error instanceof OutboundRefused || error instanceof OutboundFailed)
    return error
  const cause = life.ended.aborted && life.ended.reason instanceof Error ? life.ended.reason : error
  const { message, code } = cause as NodeJS.ErrnoException
  return new OutboundFailed(`${new URL(origin).host}: ${message || code || 'no response'}`, { cause: error })
}
