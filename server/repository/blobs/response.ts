/** The response with a blob: conditional and range requests (RFC 9110 §13, §14), and the headers that keep its content harmless. */
import type { IncomingHttpHeaders } from 'node:http'
import type { BinaryOutput } from '../../platform/xrpc/method.ts'
import type { Blob } from '../tables/blobs.ts'
import { isShownInline } from './media-type.ts'

/** @param read reads the bytes from `start` to `end`, which is exclusive */
export function blobResponse(
  { cid, mimeType, size }: Blob,
  requested: IncomingHttpHeaders,
  read: (start: number, end: number) => AsyncIterable<Uint8Array>,
): BinaryOutput {
  const etag = `"${cid}"`
  const headers = {
    ETag: etag,
    'Accept-Ranges': 'bytes',
    // The content of a CID never changes. Responses to credentials stay private.
    ...(requested.authorization === undefined && { 'Cache-Control': 'public, max-age=31536000, immutable' }),
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
    // Pages of other origins show images.
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ...(!isShownInline(mimeType) && { 'Content-Disposition': `attachment; filename="${cid}"` }),
  }
  if (matches(requested['if-none-match'], etag)) return { encoding: mimeType, status: 304, headers }
  const isCurrent = requested['if-range'] === undefined || requested['if-range'] === etag
  const range = isCurrent ? parseRange(requested.range, size) : undefined
  if (range === 'unsatisfiable') {
    const noContent = { ...headers, 'Content-Range': `bytes */${size}`, 'Content-Length': 0 }
    return { encoding: mimeType, status: 416, headers: noContent }
  }
  const { start, end } = range ?? { start: 0, end: size }
  const whole = { ...headers, 'Content-Length': end - start }
  if (!range) return { encoding: mimeType, headers: whole, body: read(start, end) }
  const part = { ...whole, 'Content-Range': `bytes ${start}-${end - 1}/${size}` }
  return { encoding: mimeType, status: 206, headers: part, body: read(start, end) }
}

/** Whether an If-None-Match header names the entity tag, compared weakly. */
function matches(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return tags.includes(etag) || tags.includes('*')
}

/** Parses a Range header with one range. Undefined without one, if it has several or is malformed: the whole is sent then. */
function parseRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) }
}
