/** Sends responses: JSON, an error, bytes, a stream or an empty body. Large JSON is compressed. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'
import compression from 'compression'
import type { BinaryOutput, Chunks } from './method.ts'
import type { XrpcError } from './xrpc-errors.ts'

/** Compressing fewer bytes costs more than sending them. */
const compressFrom = 4096
const compress = compression({ threshold: compressFrom })

export function sendJson(req: IncomingMessage, res: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body)
  const length = Buffer.byteLength(text)
  setJsonHeaders(res, status)
  if (length >= compressFrom && req.headers['accept-encoding'] !== undefined) {
    compress(req as never, res as never, () => res.end(text))
    return
  }
  res.setHeader('Content-Length', length)
  res.end(text)
}

function setJsonHeaders(res: ServerResponse, status: number): void {
  res.statusCode = status
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('X-Content-Type-Options', 'nosniff')
}

/** JSON that is sent several times. */
export interface JsonBody {
  readonly text: Buffer
  /** The same as a string, if it is small and has been sent: Node writes it together with the headers. */
  string?: string
  /** The same compressed, once a client has asked for it. */
  gzip?: Buffer
}

/** Matches the Accept-Encoding of clients that accept a content coding. Spaces may surround the weight (RFC 9110 §12.4.2). */
export function acceptOf(coding: string): RegExp {
  return new RegExp(`\\b${coding}\\b(?!\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$))`)
}

const acceptsGzip = acceptOf('gzip')

export function sendJsonBody(req: IncomingMessage, res: ServerResponse, body: JsonBody): void {
  setJsonHeaders(res, 200)
  const isLarge = body.text.length >= compressFrom
  if (isLarge) res.appendHeader('Vary', 'Accept-Encoding')
  if (isLarge && acceptsGzip.test(String(req.headers['accept-encoding']))) {
    body.gzip ??= gzipSync(body.text)
    res.setHeader('Content-Encoding', 'gzip')
    res.setHeader('Content-Length', body.gzip.length)
    res.end(body.gzip)
    return
  }
  res.setHeader('Content-Length', body.text.length)
  if (isLarge) res.end(body.text)
  else {
    body.string ??= body.text.toString()
    res.end(body.string)
  }
}

/** Sends a stream as fast as the client reads, and stops when it disconnects. */
export async function sendBinary(
  req: IncomingMessage,
  res: ServerResponse,
  output: BinaryOutput,
): Promise<void> {
  const { encoding, status = 200, headers, body } = output
  res.statusCode = status
  res.setHeader('Content-Type', encoding)
  res.setHeader('X-Content-Type-Options', 'nosniff')
  setHeaders(res, headers)
  if (body instanceof Uint8Array && status !== 304) res.setHeader('Content-Length', body.length)
  if (body === undefined || body instanceof Uint8Array || req.method === 'HEAD') {
    discard(output)
    res.end(req.method === 'HEAD' ? undefined : body)
    return
  }
  await pipeline(streamOf(body), res).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  })
}

/** Releases the files of a body that is not sent. */
export function discard({ body }: Partial<BinaryOutput>): void {
  if (body !== undefined && !(body instanceof Uint8Array))
    streamOf(body)
      .on('error', () => {})
      .destroy()
}

function streamOf(chunks: Chunks): Readable {
  return chunks instanceof Readable ? chunks : Readable.from(chunks)
}

export function setHeaders(res: ServerResponse, headers: BinaryOutput['headers']): void {
  for (const name in headers) res.setHeader(name, headers[name] ?? '')
}

/** Keeps the response of an authenticated call out of shared caches. */
export function keepPrivate(res: ServerResponse): void {
  res.setHeader('Cache-Control', 'private, no-store')
  res.setHeader('Vary', 'Authorization')
}

export function sendNothing(res: ServerResponse): void {
  res.setHeader('Content-Length', 0)
  res.writeHead(200).end()
}

export function sendError(req: IncomingMessage, res: ServerResponse, error: XrpcError): void {
  if (error.status === 401) res.setHeader('WWW-Authenticate', `Bearer error="${error.name}"`)
  setRetryAfter(res, error)
  setHeaders(res, error.headers)
  sendJson(req, res, error.status, error)
}

export function setRetryAfter(res: ServerResponse, { retryAfter }: XrpcError): void {
  if (retryAfter !== undefined) res.setHeader('Retry-After', retryAfter)
}
