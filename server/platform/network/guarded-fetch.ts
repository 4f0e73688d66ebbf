/** Outgoing requests to URLs from other parties: limited in time and size, to public addresses only. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import https from 'node:https'
import { checkedLookup, checkUrl, OutboundRefused } from './guard.ts'
import type { FindAddresses } from './names.ts'

export type GuardedFetchOptions = {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** Allows plain http, and addresses of this machine and its network; false by default. */
  allowPrivate?: boolean
  /** Time limit of the whole request, from the DNS look-up to the last byte; 5 s by default. */
  timeoutMs?: number
  /** Size limit of the response body; 64 KiB by default. */
  maxBytes?: number
  signal?: AbortSignal | undefined
  /** The look-up of the host. By default, `allowPrivate` means that the owner named it. */
  findAddresses?: FindAddresses | undefined
}

export type OutboundResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer }

/** The request was sent and got no complete response. A retry may succeed. */
export class OutboundFailed extends Error {
  override name = 'OutboundFailed'
}

/** The cause of an OutboundFailed: a response exceeds its limit. */
export class ResponseTooLarge extends Error {
  override name = 'ResponseTooLarge'
}

/**
 * Fetches a URL that another party chose (a did:web document, a push service), without access to the network of this server:
 * https only, public addresses only, no redirects, limited in time and size. The host is resolved once and the connection is
 * made to the address that was checked, which prevents DNS rebinding. Resolves with any status.
 * @throws OutboundRefused, OutboundFailed
 */
export async function guardedFetch(
  target: string,
  options: GuardedFetchOptions = {},
): Promise<OutboundResponse> {
  const { allowPrivate = false, timeoutMs = 5_000, maxBytes = 65_536 } = options
  const url = checkUrl(target, allowPrivate)
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout
  try {
    const response = await send(url, options, signal, allowPrivate)
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: await readBody(response, maxBytes),
    }
  } catch (error) {
    if (error instanceof OutboundRefused || error instanceof OutboundFailed) throw error
    const reason = timeout.aborted ? `no complete response within ${timeoutMs} ms` : messageOf(error)
    throw new OutboundFailed(`${url.origin}: ${reason}`, { cause: error })
  }
}

function send(
  url: URL,
  options: GuardedFetchOptions,
  signal: AbortSignal,
  allowPrivate: boolean,
): Promise<IncomingMessage> {
  // An import would evaluate every export of node:http, including Node's fetch (50 ms and 13 MB).
  const { request } = url.protocol === 'https:' ? https : process.getBuiltinModule('node:http')
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  // agent: false: a new connection, neither a pooled one nor one through a proxy that would resolve the host itself.
  request(url, {
    agent: false,
    method: options.method ?? 'GET',
    headers: { 'accept-encoding': 'identity', ...options.headers },
    lookup: checkedLookup(allowPrivate, signal, options.findAddresses),
    signal,
  })
    .on('response', resolve)
    .on('error', reject)
    .end(options.body)
  return promise
}

/** Reads a response into memory. @throws Error if it is larger than `maxBytes` */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    // Throwing out of the loop destroys the response and its connection.
    if (size > maxBytes) throw new ResponseTooLarge(`the response is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** If several addresses of a host fail, the error has a code but no message. */
export function messageOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  return message || code || 'no response'
}
