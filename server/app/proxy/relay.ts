/**
 * Passes the response of another service on to a client. JSON is held until it is complete, so that a service which fails
 * midway yields an error and not half an answer; everything else is streamed.
 */
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { collect, type OutboundResponse } from '../../platform/network/client.ts'
import type { Holding } from '../../platform/network/held-bytes.ts'
import { decompress } from '../../platform/xrpc/body.ts'
import { protocolError, XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { clearDeadline, setDeadline } from '../../util/deadlines.ts'
import { isObject, isString, parseJson } from '../../util/json.ts'

/** A response whose body arrives. */
export type Upstream = OutboundResponse<AsyncIterable<Buffer>>

/** Limit of a response body in bytes. */
export const maxResponseBytes = 10_000_000
/** Limit of the body of a 5xx response in bytes. */
export const maxErrorBytes = 65_536

/** Headers of a response that clients get. Everything else is about the connection, or concerns another origin. */
const safeHeaders = [
  'content-type',
  'content-encoding',
  'content-language',
  'retry-after',
  'atproto-repo-rev',
  'atproto-content-labelers',
]

/**
 * Changes a JSON response, or an error, before it is sent.
 * @returns the body to send; undefined to send none, because this server answers the call itself
 */
export type Revise = (status: number, body: Buffer) => Buffer | undefined

export interface RelayOptions {
  /** Counts bytes that are held until the client has read them. */
  readonly holding: Holding
  /** Milliseconds in which the client must read a megabyte of the held bytes. */
  readonly readMs: number
  readonly revise?: Revise | undefined
}

/**
 * Sends a response to the client: 2xx and 4xx as they are, 5xx as 502 with the same error name.
 * @returns false if it was not sent
 * @throws XrpcError with status 502 for a response that cannot be passed on, NotEnoughResources; OutboundFailed
 */
export async function relay(
  upstream: Upstream,
  res: ServerResponse,
  options: RelayOptions,
): Promise<boolean> {
  const { status, headers } = upstream
  const type = headers['content-type'] ?? ''
  if (status >= 500) throw await serverError(upstream, res, options)
  if (status < 200 || (status >= 300 && status < 400)) throw failure(`answered ${status}`)
  if (/^\s*(?:text\/html|application\/xhtml)/i.test(type)) throw failure('answered with a web page')
  if (isJson(type) || status >= 400) {
    const held = await hold(upstream, res, options)
    const body = options.revise ? options.revise(status, held) : held
    if (!body) return false
    writeHead(upstream, res)
    limitReading(res, body.length, options.readMs)
    res.setHeader('Content-Length', body.length)
    res.end(body)
  } else {
    writeHead(upstream, res)
    await pipeline(upstream.body, res)
  }
  return true
}

function isJson(type: string): boolean {
  return /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)
}

function writeHead({ status, headers }: Upstream, res: ServerResponse): void {
  res.statusCode = status
  for (const name of safeHeaders) {
    const value = headers[name]
    if (value !== undefined) res.setHeader(name, value)
  }
  // A response of another service never runs as a page of this origin, where the interface keeps its tokens.
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Content-Security-Policy', "default-src 'none'; sandbox")
}

/** Reads a body into memory. Its bytes count until the client has the response. @throws NotEnoughResources */
async function hold({ body }: Upstream, res: ServerResponse, { holding }: RelayOptions): Promise<Buffer> {
  if (res.destroyed) throw failure('answered after the client disconnected')
  res.once('close', holding.end)
  return collect(body, holding.add)
}

/** Disconnects a client that does not read a response in time: one that reads a byte a minute would hold its memory for days. */
function limitReading(res: ServerResponse, bytes: number, readMs: number): void {
  const timer = setDeadline(() => res.req.socket.destroy(), readMs * (1 + bytes / 1_000_000))
  res.once('close', () => clearDeadline(timer))
}

const errorName = /^[A-Za-z][\w.-]{0,63}$/

/** Returns the error of a 5xx response, with its name and message if it has them. */
async function serverError(
  upstream: Upstream,
  res: ServerResponse,
  options: RelayOptions,
): Promise<XrpcError> {
  const { status, headers } = upstream
  const bytes = await hold(upstream, res, options)
  const text = await decompress(bytes, headers['content-encoding'], maxErrorBytes).catch(() => undefined)
  const body = text && parseJson(Buffer.from(text))
  const { error, message } = isObject(body) ? body : {}
  const wait = Number(headers['retry-after'])
  const details = { status: 502, retryAfter: wait >= 0 ? wait : undefined }
  if (!isString(error) || !errorName.test(error)) {
    return new XrpcError('UpstreamFailure', `The service answered ${status}`, details)
  }
  return new XrpcError(error, isString(message) ? message.slice(0, 500) : undefined, details)
}

/** @param what completes the sentence "The service …" */
export function failure(what: string): XrpcError {
  return protocolError('UpstreamFailure', `The service ${what}`)
}
