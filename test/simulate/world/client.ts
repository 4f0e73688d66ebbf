/** The HTTP client outside: as little as these servers need, because a run makes more than a thousand calls. */
import type { Duplex } from 'node:stream'
import { clearDeadline, setDeadline } from '../../../server/util/deadlines.ts'
import { currentProcess, outside, type Process, type Wire } from './wire.ts'

export interface Request {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

export interface Response {
  readonly status: number
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** Milliseconds for a response. */
const timeoutMs = 60_000

export class Client {
  /** Whether the next requests take the connections of the last ones. */
  keepsConnections = false
  readonly #wire: Wire
  readonly #process: Process
  readonly #kept = new Map<string, Duplex>()

  /** @param process where its connections begin */
  constructor(wire: Wire, process = outside) {
    this.#wire = wire
    this.#process = process
  }

  /** Resolves with undefined if there is no complete response. */
  request(request: Request): Promise<Response | undefined> {
    return currentProcess.run(this.#process, () => this.#request(request))
  }

  /** Ends the connections that were kept. */
  forget(): void {
    for (const socket of this.#kept.values()) socket.destroy()
    this.#kept.clear()
    this.keepsConnections = false
  }

  async #request(request: Request): Promise<Response | undefined> {
    const { host } = request.url
    const kept = this.#kept.get(host)
    this.#kept.delete(host)
    const socket = kept && !kept.destroyed && !kept.readableEnded ? kept : this.#wire.connect(request.url)
    const response = await exchange(socket, request, this.keepsConnections)
    if (response && this.keepsConnections) this.#kept.set(host, socket)
    else socket.destroy()
    return response
  }
}

function exchange(
  socket: Duplex,
  { method, url, headers, body }: Request,
  isKept: boolean,
): Promise<Response | undefined> {
  const { promise, resolve } = Promise.withResolvers<Response | undefined>()
  const parts: Buffer[] = []
  let needed = 0
  let length = 0
  function end(response?: Response): void {
    clearDeadline(late)
    socket.off('data', read).off('end', readEnd).off('close', fail)
    resolve(response)
  }
  const fail = () => end()
  const late = setDeadline(fail, timeoutMs)
  function read(chunk: Buffer): void {
    parts.push(chunk)
    length += chunk.length
    if (length < needed) return
    const response = parse(Buffer.concat(parts), false)
    if (typeof response === 'number') needed = response
    else end(response)
  }
  function readEnd(): void {
    const response = parse(Buffer.concat(parts), true)
    end(typeof response === 'number' ? undefined : response)
  }
  socket.on('data', read).on('end', readEnd).on('close', fail)
  if (socket.listenerCount('error') === 0) socket.on('error', () => {})
  const all = {
    host: url.host,
    connection: isKept ? 'keep-alive' : 'close',
    ...(body && { 'content-length': String(body.length) }),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`)
  socket.write(head)
  // The link can be cut in between.
  if (body) socket.write(body)
  return promise
}

/** Returns a response; a number of bytes that are needed at least if it is incomplete. @param isOver whether the connection has ended */
function parse(bytes: Buffer, isOver: boolean): Response | number {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return 0
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const status = Number(first.split(' ')[1])
  const start = end + 4
  const length = headers.get('content-length')
  if (length !== undefined) {
    const needed = start + Number(length)
    return bytes.length < needed ? needed : { status, headers, body: bytes.subarray(start, needed) }
  }
  if (headers.get('transfer-encoding') === 'chunked') {
    const body = unchunked(bytes, start)
    return body ? { status, headers, body } : 0
  }
  return isOver || status === 204
    ? { status, headers, body: bytes.subarray(start) }
    : Number.POSITIVE_INFINITY
}

/** Returns the content of chunks; undefined if the last one is missing. */
function unchunked(bytes: Buffer, start: number): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let at = start; ; ) {
    const end = bytes.indexOf('\r\n', at)
    const size = end < 0 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, end), 16)
    if (!(end + 4 + size <= bytes.length)) return undefined
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 4 + size
  }
}
