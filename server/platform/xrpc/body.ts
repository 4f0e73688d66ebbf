/** Reads request bodies up to a limit: JSON in UTF-8 (RFC 8259), or bytes as they arrive. Both plain or compressed. */
import type { IncomingMessage } from 'node:http'
import { finished, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzip,
  inflate,
} from 'node:zlib'
import { createLimit } from '../../util/limit.ts'
import { extendDeadline } from './deadlines.ts'
import type { BinaryInput } from './method.ts'
import { protocolError, XrpcError } from './xrpc-errors.ts'

type Decoder = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>

/** Content codings of RFC 9110 §8.4.1, and `br`. */
const decompressors: ReadonlyMap<string, Decoder> = new Map([
  ['identity', async (bytes: Uint8Array) => bytes],
  ['gzip', promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(gunzip)],
  ['deflate', promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(inflate)],
  ['br', promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(brotliDecompress)],
])

const decompressingStreams: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', openBrotli],
])

/** The window of each takes 16 MB, also for a body of a few bytes, and as long as the client pauses. */
const maxBrotliStreams = 6
let brotliStreams = 0

/** @throws NotEnoughResources */
function openBrotli(): Transform {
  if (brotliStreams === maxBrotliStreams) {
    const message = 'Too many bodies are being decompressed. Send this one without Content-Encoding'
    throw new XrpcError('NotEnoughResources', message, { retryAfter: 5 })
  }
  brotliStreams++
  return createBrotliDecompress().once('close', () => brotliStreams--)
}

/** Decoders of whole bodies that run at once, as many as Node has threads for them: the window of each takes memory. */
const decoding = createLimit({ total: 4, perKey: 4 })

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Decompresses bytes. @throws for an unknown coding, corrupt bytes, and more than `maxBytes` (`ERR_BUFFER_TOO_LARGE`) */
export async function decompress(
  bytes: Uint8Array,
  coding: string | undefined,
  maxBytes: number,
): Promise<Uint8Array> {
  const decode = decompressors.get(coding ?? 'identity')
  if (!decode) throw unknownCoding()
  return decoding('', () => decode(bytes, { maxOutputLength: maxBytes }))
}

/**
 * Returns the value of a JSON body, undefined without a body.
 * @param maxBytes limit on the wire, and again after decompression
 * @throws XrpcError `PayloadTooLarge`, or `InvalidRequest` when it is not JSON
 */
export async function readJson(req: IncomingMessage, maxBytes: number): Promise<unknown> {
  const { headers } = req
  if (headers['transfer-encoding'] === undefined && !Number(headers['content-length'])) return undefined
  if (!isJson(headers['content-type'])) {
    throw protocolError('InvalidRequest', 'The body must be JSON in UTF-8 (Content-Type: application/json)')
  }
  const coding = codingOf(req)
  if (!decompressors.has(coding)) throw unknownCoding()
  if (Number(headers['content-length']) > maxBytes) throw tooLarge(maxBytes)
  const bytes = await collect(req, maxBytes)
  try {
    return JSON.parse(utf8.decode(await decompress(bytes, coding, maxBytes)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes)
    throw protocolError('InvalidRequest', 'The body is not valid JSON in UTF-8')
  }
}

/**
 * Returns the fields of a body: of a form (`application/x-www-form-urlencoded`), or of a JSON object.
 * @throws XrpcError `PayloadTooLarge`, or `InvalidRequest` for another type, a repeated field and malformed JSON
 */
export async function readFields(req: IncomingMessage, maxBytes: number): Promise<Record<string, unknown>> {
  if (!/^application\/x-www-form-urlencoded *(?:;|$)/i.test(req.headers['content-type'] ?? '')) {
    const value = await readJson(req, maxBytes)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
    throw protocolError('InvalidRequest', 'The body must be a form or a JSON object')
  }
  const fields = [...new URLSearchParams((await collect(req, maxBytes)).toString())]
  const byName = Object.fromEntries(fields)
  if (Object.keys(byName).length !== fields.length)
    throw protocolError('InvalidRequest', 'A field of the form is repeated')
  return byName
}

/**
 * Returns a body as a stream. After an error, and when the reader stops, the rest is read and dropped.
 * @param maxBytes limit of Content-Length, and of the bytes after decompression
 * @param atEnd called after the last chunk; the reader gets its error
 * @throws XrpcError `PayloadTooLarge` or `InvalidRequest`, also while the body is read; `NotEnoughResources` then
 */
export function openBody(
  req: IncomingMessage,
  maxBytes: number,
  atEnd: () => unknown,
): Omit<BinaryInput, 'encoding'> {
  const declared = Number(req.headers['content-length'] ?? Number.NaN)
  if (declared > maxBytes) throw tooLarge(maxBytes)
  const coding = codingOf(req)
  const createDecompress = decompressingStreams.get(coding)
  if (coding !== 'identity' && !createDecompress) throw unknownCoding()
  const length = createDecompress || Number.isNaN(declared) ? undefined : declared
  return { length, body: chunksOf(req, createDecompress, maxBytes, atEnd) }
}

/** The body must bring this many bytes in each period of the request's time limit. */
const bytesPerDeadline = 65_536

async function* chunksOf(
  req: IncomingMessage,
  createDecompress: (() => Transform) | undefined,
  maxBytes: number,
  atEnd: () => unknown,
): AsyncIterable<Uint8Array> {
  let decompress: Transform | undefined
  let size = 0
  let sizeAtDeadline = 0
  try {
    decompress = createDecompress?.()
    const source = decompress ? through(req, decompress) : req
    // The connection stays open for the response.
    for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      if (size - sizeAtDeadline >= bytesPerDeadline) {
        sizeAtDeadline = size
        extendDeadline(req)
      }
      yield chunk
    }
  } catch (error) {
    if (error instanceof XrpcError) throw error
    throw req.destroyed ? cutShort() : protocolError('InvalidRequest', 'The body cannot be decompressed')
  } finally {
    decompress?.destroy()
    req.unpipe().resume()
  }
  await atEnd()
}

/** Decompresses a body. The stream fails when the connection closes early. */
function through(req: IncomingMessage, decompress: Transform): Transform {
  finished(req, (error) => error && decompress.destroy(error))
  return req.pipe(decompress)
}

function codingOf({ headers }: IncomingMessage): string {
  return headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
}

function unknownCoding(): XrpcError {
  return protocolError('InvalidRequest', 'Content-Encoding may be gzip, deflate or br')
}

/** JSON without a charset or in UTF-8, case-insensitive (RFC 9110 §8.3.1). */
export function isJson(contentType = ''): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='))
  return type.trim() === 'application/json' && (charset === undefined || /^charset="?utf-?8"?$/.test(charset))
}

function collect(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(cutShort())
    if (req.destroyed) return fail()
    const chunks: Buffer[] = []
    let size = 0
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      // The rest is read and dropped: a client that is still sending would not read the response otherwise.
      else reject(tooLarge(maxBytes))
    })
    req.once('close', fail)
    req.once('end', () => {
      req.off('close', fail)
      resolve(Buffer.concat(chunks))
    })
  })
}

function tooLarge(maxBytes: number): XrpcError {
  return protocolError('PayloadTooLarge', `The body may have ${maxBytes} bytes at most`)
}

function cutShort(): XrpcError {
  return protocolError('InvalidRequest', 'The connection closed before the whole body arrived')
}
