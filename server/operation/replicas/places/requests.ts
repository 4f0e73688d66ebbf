/** HTTP requests to places: kept connections, time limits, one retry, and problems that people can act on. */

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import {
  collect,
  createClient,
  OutboundFailed,
  type OutboundRequest,
  RequestTooLong,
  ResponseTooLarge,
  ServerSilent,
} from '../../../platform/network/client.ts'
import { OutboundRefused } from '../../../platform/network/guard.ts'
import { unreachableText } from '../../../platform/network/unreachable.ts'
import { retryAfter } from '../../../util/retry-after.ts'
import type { PlaceOptions } from './place.ts'
import { PlaceProblem } from './place.ts'

export interface PlaceRequest<T> {
  readonly method: NonNullable<OutboundRequest['method']>
  readonly headers: OutgoingHttpHeaders
  readonly body?: Uint8Array | undefined
  /** Reads the body of a response with a status below 300. */
  readonly read: (body: AsyncIterable<Buffer>) => Promise<T>
}

export interface PlaceResponse<T = unknown> {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Undefined with a status of 300 and above. */
  readonly content: T | undefined
  /** The body of a response with such a status. */
  readonly refusal: Buffer
}

/** Resolves with any status. @throws PlaceProblem */
export type Request = <T>(url: URL, request: PlaceRequest<T>) => Promise<PlaceResponse<T>>

/** Largest object, and largest list of a folder. */
export const objectBytes = 16 * 1024 * 1024
const responseBytes = 64 * 1024 * 1024
/** A server may check a file for long after it has arrived. */
const processingFactor = 2
const chunkBytes = 64 * 1024

export function createRequest({
  signal = new AbortController().signal,
  idleMs = 60_000,
}: PlaceOptions): Request {
  const client = createClient({
    // The owner named the host: it may be in the same network.
    ...{ signal, allowPrivate: true, timeoutMs: Number.POSITIVE_INFINITY },
    ...{ idleMs, idleBytes: 16 * 1024, processingMs: processingFactor * idleMs },
  })

  async function send<T>(
    url: URL,
    { method, headers, body, read }: PlaceRequest<T>,
  ): Promise<PlaceResponse<T>> {
    const response = await client.open(url.href, {
      method,
      headers: { ...headers, ...(body && { 'content-length': body.length }) },
      body: body && chunks(body),
      maxBytes: (status) => (status < 300 ? responseBytes : 64 * 1024),
    })
    const { status, headers: answered } = response
    return status < 300
      ? { status, headers: answered, content: await read(response.body), refusal: Buffer.alloc(0) }
      : { status, headers: answered, content: undefined, refusal: await collect(response.body) }
  }

  return async (url, request) => {
    for (let isRetry = false; ; isRetry = true) {
      try {
        return await send(url, request)
      } catch (error) {
        // All but a move have the same effect when they are repeated.
        if (!isRetry && isCut(error) && request.method !== 'MOVE' && !signal.aborted) continue
        throw describe(url, error)
      }
    }
  }
}

/** Reads an object. */
export async function readObject(body: AsyncIterable<Buffer>): Promise<Buffer> {
  let bytes = 0
  return collect(body, (count) => {
    bytes += count
    if (bytes > objectBytes)
      throw new PlaceProblem('damaged', 'An object of the copy is larger than any that was sent.')
  })
}

/** Discards a body. */
export async function skip(body: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of body);
}

/** Parts in which progress is noticed. */
async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

/** Whether the connection ended before the response did. */
function isCut(error: unknown): boolean {
  return (
    error instanceof OutboundFailed &&
    ![ServerSilent, RequestTooLong, ResponseTooLarge].some((kind) => error instanceof kind)
  )
}

function describe(url: URL, error: unknown): unknown {
  if (error instanceof OutboundRefused)
    return new PlaceProblem('invalid', `${error.message}.`, { cause: error })
  if (error instanceof ResponseTooLarge) {
    return new PlaceProblem('invalid', `The response of ${url.host} is too large.`, { cause: error })
  }
  if (!(error instanceof OutboundFailed)) return error
  const message = unreachableText(url, error) ?? `No connection to ${error.message}.`
  return new PlaceProblem('unreachable', message, { cause: error })
}

/** The problem that a status means, for both kinds of servers. */
export function problemOf({ host }: URL, { status, headers }: PlaceResponse): PlaceProblem {
  const retryAfterMs = retryAfter(headers['retry-after'], new Date(headers.date ?? '')) || undefined
  switch (status) {
    case 401:
    case 403:
      return new PlaceProblem(
        'refused',
        `${host} does not permit it (${status}). Check the permissions there.`,
      )
    case 413:
      return new PlaceProblem(
        'invalid',
        `${host} accepts no files of 9 MB (413). Raise the limit of that server.`,
      )
    case 429:
    case 503:
      return new PlaceProblem('unreachable', `${host} is busy (${status}). It is tried again later.`, {
        retryAfterMs,
      })
    case 507:
      return new PlaceProblem('full', `There is no space left at ${host}. Free space there.`)
  }
  return status >= 500
    ? new PlaceProblem('unreachable', `${host} failed (${status}). It is tried again later.`, {
        retryAfterMs,
      })
    : new PlaceProblem('invalid', `${host} answers with status ${status}. Check the address.`)
}
