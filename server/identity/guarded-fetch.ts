/** Outgoing requests to URLs from other parties: limited in time and size, to public addresses only. */
import type { LookupAddress, LookupOptions } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

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
  /** Aborts the request. */
  signal?: AbortSignal | undefined
}

export type OutboundResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer }

/** The request is not allowed; nothing was sent. A retry fails too. */
export class OutboundRefused extends Error {
  override name = 'OutboundRefused'
}

/** The request was sent and got no complete response. A retry may succeed. */
export class OutboundFailed extends Error {
  override name = 'OutboundFailed'
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

/** Whether an IP address is reachable from the whole internet. False for anything that is not an IP address. */
export function isPublicAddress(address: string): boolean {
  // ipaddr.js also parses incomplete addresses such as 127.1.
  if (isIP(address) === 0) return false
  // Converts IPv4-mapped IPv6 addresses (::ffff:a.b.c.d) to IPv4.
  const parsed = ipaddr.process(address)
  if (isIn(parsed, nat64)) return isPublicAddress(parsed.toByteArray().slice(12).join('.'))
  return parsed.range() === 'unicast' && !notPublic.some((range) => isIn(parsed, range))
}

type Range = ReturnType<typeof ipaddr.parseCIDR>

/** IPv6 addresses that lead to the IPv4 address in their last four bytes (RFC 6052). */
const nat64 = ipaddr.parseCIDR('64:ff9b::/96')

/** Addresses that ipaddr.js calls unicast: the metadata service of a cloud, IPv4-compatible ones (RFC 4291 §2.5.5.1). */
const notPublic = ['168.63.129.16/32', '::/96'].map((range) => ipaddr.parseCIDR(range))

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, range: Range): boolean {
  return address.kind() === range[0].kind() && address.match(range)
}

// new URL() normalizes every spelling of an IP address: 127.1, 0x7f.1 and 2130706433 all become 127.0.0.1.
function checkUrl(target: string, allowPrivate: boolean): URL {
  const url = URL.parse(target)
  if (!url) throw new OutboundRefused('Not a URL')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowPrivate)) {
    throw new OutboundRefused(`${url.protocol}//${url.host}: only https is allowed`)
  }
  if (url.username || url.password)
    throw new OutboundRefused(`${url.origin}: credentials in a URL are not allowed`)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // The look-up function below is not called for a literal address.
  if (isIP(host) !== 0) checkAddress(host, host, allowPrivate)
  return url
}

function checkAddress(address: string, host: string, allowPrivate: boolean): void {
  if (!allowPrivate && !isPublicAddress(address)) {
    throw new OutboundRefused(`${host}: not a public address`)
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
    lookup: checkedLookup(allowPrivate, signal),
    signal,
  })
    .on('response', resolve)
    .on('error', reject)
    .end(options.body)
  return promise
}

function checkedLookup(allowPrivate: boolean, signal: AbortSignal): LookupFunction {
  async function addressesOf(host: string, options: LookupOptions): Promise<LookupAddress[]> {
    // The request may have timed out while it waited for a slot.
    signal.throwIfAborted()
    const addresses = await lookup(host, { ...options, all: true })
    for (const { address } of addresses) checkAddress(address, host, allowPrivate)
    return addresses
  }
  return (host, options, callback) => {
    withLookupSlot(() => addressesOf(host, options)).then(
      (addresses) => {
        if (options.all) callback(null, addresses)
        else callback(null, addresses[0]?.address ?? '', addresses[0]?.family)
      },
      (error) => callback(error, ''),
    )
  }
}

// A slow name server blocks a thread of libuv's pool. File writes need those threads too, so look-ups use two of the four.
let freeLookupSlots = 2
const waitingForSlot: (() => void)[] = []

async function withLookupSlot<T>(work: () => Promise<T>): Promise<T> {
  if (freeLookupSlots > 0) freeLookupSlots--
  else await new Promise<void>((resolve) => waitingForSlot.push(resolve))
  try {
    return await work()
  } finally {
    const next = waitingForSlot.shift()
    if (next) next()
    else freeLookupSlots++
  }
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    // Throwing out of the loop destroys the response and its connection.
    if (size > maxBytes) throw new Error(`the response is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

// If several addresses of a host fail, the error has a code but no message.
function messageOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  return message || code || 'no response'
}
