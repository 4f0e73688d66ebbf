/** Reads request bodies: JSON in UTF-8 (RFC 8259), plain or compressed, up to a limit. */
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { protocolError, type XrpcError } from './errors.ts'

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>

/** Content codings of RFC 9110 §8.4.1, and `br`. */
const decompressors: ReadonlyMap<string, Decompress> = new Map([
  ['identity', async (bytes: Uint8Array) => bytes],
  ['gzip', promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(gunzip)],
  ['deflate', promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(inflate)],
  ['br', promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(brotliDecompress)],
])

const utf8 = new TextDecoder('utf-8', { fatal: true })

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
  const decompress = decompressors.get(headers['content-encoding']?.trim().toLowerCase() ?? 'identity')
  if (!decompress) throw protocolError('InvalidRequest', 'Content-Encoding may be gzip, deflate or br')
  if (Number(headers['content-length']) > maxBytes) throw tooLarge(maxBytes)
  const bytes = await collect(req, maxBytes)
  try {
    return JSON.parse(utf8.decode(await decompress(bytes, { maxOutputLength: maxBytes })))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes)
    throw protocolError('InvalidRequest', 'The body is not valid JSON in UTF-8')
  }
}

/** JSON without a charset or in UTF-8, case-insensitive (RFC 9110 §8.3.1). */
function isJson(contentType = ''): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='))
  return type.trim() === 'application/json' && (charset === undefined || /^charset="?utf-?8"?$/.test(charset))
}

function collect(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const fail = () =>
      reject(protocolError('InvalidRequest', 'The connection closed before the whole body arrived'))
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
