/** Sends responses: JSON, an error, bytes or an empty body. Large JSON is compressed. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import compression from 'compression'
import type { XrpcError } from './errors.ts'
import type { Chunks } from './method.ts'

/** Compressing fewer bytes costs more than sending them. */
const compressFrom = 4096
const compress = compression({ threshold: compressFrom })

export function sendJson(req: IncomingMessage, res: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body)
  const length = Buffer.byteLength(text)
  res.statusCode = status
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  if (length >= compressFrom && req.headers['accept-encoding'] !== undefined) {
    compress(req as never, res as never, () => res.end(text))
    return
  }
  res.setHeader('Content-Length', length)
  res.end(text)
}

/** Sends as fast as the client reads, and stops when it disconnects. */
export async function sendChunks(res: ServerResponse, contentType: string, chunks: Chunks): Promise<void> {
  res.setHeader('Content-Type', contentType)
  res.setHeader('X-Content-Type-Options', 'nosniff')
  await pipeline(Readable.from(chunks), res).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  })
}

export function sendNothing(res: ServerResponse): void {
  res.setHeader('Content-Length', 0)
  res.writeHead(200).end()
}

export function sendError(req: IncomingMessage, res: ServerResponse, error: XrpcError): void {
  if (error.status === 401) res.setHeader('WWW-Authenticate', `Bearer error="${error.name}"`)
  if (error.retryAfter !== undefined) res.setHeader('Retry-After', error.retryAfter)
  sendJson(req, res, error.status, error)
}
