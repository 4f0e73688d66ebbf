/** Listens for HTTP, disconnects clients that hang, and lets responses finish before it closes. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { clearDeadline, setDeadline } from '../../util/deadlines.ts'
import { startDeadline } from './deadlines.ts'
import { asksForWebSocket, responseTo } from './upgrade.ts'
import { protocolError } from './xrpc-errors.ts'

// An import would evaluate every export of node:http, including Node's fetch (50 ms and 13 MB).
const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')

export type App = (req: IncomingMessage, res: ServerResponse) => void

/** Time limits for a client, in milliseconds. */
export interface Timeouts {
  /** For the headers of a request, from the start of the connection or the end of the last request. */
  readonly headersMs: number
  /** For the body of a request; more for a large one, see `extendDeadline`. */
  readonly requestMs: number
  /** Time without a byte in either direction, for example while the client does not read; making the response does not count. */
  readonly idleMs: number
  /** Time for the next request on a connection, which answers announce; 5 s by default. 0: `idleMs`, and none is announced. */
  readonly keepAliveMs?: number
}

export const defaultTimeouts: Timeouts = { headersMs: 20_000, requestMs: 60_000, idleMs: 120_000 }

export interface Listener {
  readonly port: number
  /** Stops accepting connections, lets requests in flight finish for `graceMs`, then cuts the rest. */
  close(graceMs?: number): Promise<void>
}

/**
 * Listens on every host with the same port.
 * @param port 0 for any free one
 * @param onConnection called with each new connection
 * @throws the system's error (`EADDRINUSE`, `EACCES`…) when a host that exists cannot be bound
 */
export async function listen(
  app: App,
  hosts: readonly string[],
  port: number,
  timeouts = defaultTimeouts,
  onConnection: (socket: Duplex) => void = () => {},
): Promise<Listener> {
  const bound: Bound[] = []
  const close = async (graceMs = 5000) => {
    await Promise.all(bound.map((each) => each.close(graceMs)))
  }
  try {
    for (const host of hosts) {
      const http = createHttpServer(app, timeouts, onConnection)
      const next = await bind(http, { host, port: bound[0]?.port ?? port })
      if (next) bound.push(next)
    }
  } catch (error) {
    await close(0)
    throw error
  }
  return { port: bound[0]?.port ?? port, close }
}

interface Bound {
  readonly port: number
  close(graceMs: number): Promise<void>
}

/** Ends a response that waits behind another one of a closed connection. Node does not, so its resources would be kept. */
function abandon(res: ServerResponse): void {
  res.destroy()
  res.emit('close')
}

/** An HTTP server that is not bound to an address yet. */
export interface HttpServer {
  readonly server: Server
  /** Stops accepting connections, lets requests in flight finish for `graceMs`, then cuts the rest. */
  close(graceMs: number): Promise<void>
}

/**
 * Creates an HTTP server. A simulated network gives it connections by its event `connection`.
 * @param onConnection called with each new connection
 */
export function createHttpServer(
  app: App,
  timeouts = defaultTimeouts,
  onConnection: (socket: Duplex) => void = () => {},
): HttpServer {
  /** Each connection with its pending responses. */
  const connections = new Map<Duplex, Set<ServerResponse>>()
  let isClosing = false
  /** A function of each response would be made for each request. */
  function forget(this: ServerResponse): void {
    const { socket } = this.req
    const pending = connections.get(socket)
    pending?.delete(this)
    if (isClosing && pending?.size === 0) socket.destroy()
  }
  const answer: App = (req, res) => {
    const { socket } = req
    startDeadline(req, timeouts.requestMs, () => refuse('ERR_HTTP_REQUEST_TIMEOUT', socket))
    connections.get(socket)?.add(res)
    res.on('close', forget)
    app(req, res)
  }
  const server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: 0,
      ...(timeouts.keepAliveMs !== undefined && { keepAliveTimeout: timeouts.keepAliveMs }),
      connectionsCheckingInterval: timeouts.headersMs / 4,
      // A missing Host header gets an error body in http.ts.
      requireHostHeader: false,
      // Other upgrades may be ignored (RFC 9110 §7.8).
      shouldUpgradeCallback: asksForWebSocket,
    },
    answer,
  )
  server.timeout = timeouts.idleMs
  server.on('timeout', (socket) => {
    // An import or an export of a large repository can take longer.
    const isMade = [...(connections.get(socket) ?? [])].some((res) => res.req.complete && !res.headersSent)
    if (!isMade) socket.destroy()
  })
  server.on('connection', (socket) => {
    onConnection(socket)
    const pending = new Set<ServerResponse>()
    connections.set(socket, pending)
    socket.once('close', () => {
      connections.delete(socket)
      for (const res of pending) if (!res.socket) abandon(res)
    })
  })
  // Unknown expectations may be ignored (RFC 9110 §10.1.1); Node would refuse them without an error body.
  server.on('checkExpectation', answer)
  server.on('upgrade', (req, socket, head) => answer(req, responseTo(req, socket, head)))
  const refuse = (code: string, socket: Duplex) => {
    const pending = [...(connections.get(socket) ?? [])]
    // The client would take the error for the response to an earlier request.
    const isAnswerable = pending.every((res) => !res.req.complete && !res.headersSent)
    if (code === 'ECONNRESET' || !socket.writable || !isAnswerable) socket.destroy()
    else answerFault(code, socket)
  }
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => refuse(code, socket))
  return {
    server,
    close: (graceMs) =>
      new Promise((resolve) => {
        isClosing = true
        const cut = setDeadline(() => server.closeAllConnections(), graceMs)
        server.close(() => {
          clearDeadline(cut)
          resolve()
        })
        for (const [socket, pending] of connections) if (pending.size === 0) socket.destroy()
      }),
  }
}

/** Returns undefined for an address family that this machine does not have. */
async function bind(
  { server, close }: HttpServer,
  address: { host: string; port: number },
): Promise<Bound | undefined> {
  if (!(await isBound(server, address))) return undefined
  return { port: (server.address() as AddressInfo).port, close }
}

function isBound(server: Server, address: { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') resolve(false)
      else reject(error)
    })
    server.listen(address, () => resolve(true))
  })
}

/** Errors that Node finds in a request, by its codes. */
const faults: Record<string, { status: number; message: string }> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time' },
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers or the URL are too long' },
}

function answerFault(code: string, socket: Duplex): void {
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
