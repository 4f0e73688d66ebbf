/**
 * The HTTP side of XRPC on express: Host allow-list, CORS, health, and a server that listens on loopback, outlives clients
 * that hang, and closes gracefully. The only file that imports express.
 */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import express, { type NextFunction } from 'express'
import { allowAnyOrigin, answerPreflight } from './cors.ts'
import { protocolError } from './errors.ts'
import { hostFilter } from './host.ts'
import type { Dispatch } from './router.ts'
import { sendError, sendJson } from './send.ts'

export interface HttpOptions {
  readonly dispatch: Dispatch
  /** Host names to answer for, beside the loopback ones. */
  readonly hostnames: readonly string[]
  /** The health answer: what is sent, and whether the store can write. */
  readonly health: () => { version: string; healthy: boolean }
}

export type App = (req: IncomingMessage, res: ServerResponse) => void

const prefix = '/xrpc/'

export function createApp(options: HttpOptions): App {
  const isOurs = hostFilter(options.hostnames)
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.use((req, res) => {
    const { host, path, query } = targetOf(req)
    allowAnyOrigin(res)
    if (host === undefined && req.httpVersion === '1.1') {
      return sendError(req, res, protocolError('InvalidRequest', 'The request has no Host header'))
    }
    if (!isOurs(host)) {
      return sendError(req, res, protocolError('Forbidden', 'This server does not answer for that host name'))
    }
    if (req.method === 'OPTIONS') return answerPreflight(req, res)
    if (path === '/xrpc/_health') {
      const { healthy, version } = options.health()
      return sendJson(req, res, healthy ? 200 : 503, { version })
    }
    if (path.startsWith(prefix)) return options.dispatch(path.slice(prefix.length), query, req, res)
    sendError(req, res, protocolError('InvalidRequest', 'Methods are called at /xrpc/<nsid>'))
  })
  // Four parameters, or express takes it for no error handler and shows the stack in a page of its own.
  app.use((_error: unknown, req: IncomingMessage, res: ServerResponse, _next: NextFunction) => {
    if (!res.headersSent) sendError(req, res, protocolError('InternalServerError'))
  })
  return app
}

/** A target in absolute form names the host, and the Host header does not count (RFC 9112 §3.2.2). */
function targetOf({ url = '', headers }: IncomingMessage) {
  const absolute = url.startsWith('/') ? null : /^https?:\/\/([^/?]*)(.*)$/i.exec(url)
  const [path = '', query = ''] = splitOnce(absolute?.[2] ?? url, '?')
  return { host: absolute?.[1] ?? headers.host, path, query }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

export interface Listener {
  readonly port: number
  /** Takes no new connections, lets requests in flight finish for `graceMs`, then cuts what is left. */
  close(graceMs?: number): Promise<void>
}

/** How long a client may take, in milliseconds. */
export interface Patience {
  /** For the headers of a request, from the start of the connection or the end of the last request. */
  readonly headersMs: number
  /** For a whole request. */
  readonly requestMs: number
  /** Without a byte in either direction, say a client that does not read its answer. */
  readonly silenceMs: number
}

const usualPatience: Patience = { headersMs: 20_000, requestMs: 60_000, silenceMs: 120_000 }

/**
 * Listens on every host with the same port.
 * @param port 0 for any free one
 * @throws the system's error (`EADDRINUSE`, `EACCES`…) when a host that exists cannot be bound
 */
export async function listen(
  app: App,
  hosts: readonly string[],
  port: number,
  patience = usualPatience,
): Promise<Listener> {
  const servers: Server[] = []
  let bound = port
  try {
    for (const host of hosts) {
      const server = createHttpServer(app, patience)
      if (!(await listening(server, host, bound))) continue
      servers.push(server)
      bound = (server.address() as AddressInfo).port
    }
  } catch (error) {
    await Promise.all(servers.map((server) => closed(server, 0)))
    throw error
  }
  return {
    port: bound,
    async close(graceMs = 5000) {
      await Promise.all(servers.map((server) => closed(server, graceMs)))
    },
  }
}

function createHttpServer(app: App, { headersMs, requestMs, silenceMs }: Patience): Server {
  const options: ServerOptions = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: headersMs / 4,
    // Its absence is answered with an error body like any other fault.
    requireHostHeader: false,
  }
  const answer: App = (req, res) => {
    // A connection that waited for its answer while the server closes is idle once it has it.
    res.once('close', () => {
      if (!server.listening) server.closeIdleConnections()
    })
    app(req, res)
  }
  const server = createServer(options, answer)
  server.timeout = silenceMs
  // An expectation that nobody knows may be ignored (RFC 9110 §10.1.1); Node would refuse it without an error body.
  server.on('checkExpectation', answer)
  server.on('clientError', answerFault)
  return server
}

/** Faults that Node finds before there is a request, by its codes. */
const faults: Record<string, { status: number; message: string }> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive' },
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers or the URL are too long' },
}

function answerFault({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const { status, message } = faults[code] ?? { status: 400, message: 'This is not a valid HTTP/1.1 request' }
  const body = JSON.stringify(protocolError('InvalidRequest', message))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Access-Control-Allow-Origin: *',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

/** Whether the host could be bound; false for an address family that this machine does not have. */
function listening(server: Server, host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') resolve(false)
      else reject(error)
    })
    server.listen({ host, port }, () => resolve(true))
  })
}

function closed(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
  })
}
