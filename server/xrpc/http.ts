/**
 * The HTTP side of XRPC on express: Host allow-list, CORS, health, JSON bodies, and a server that listens on loopback and
 * closes gracefully. The only file that imports express.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { allowAnyOrigin, answerPreflight } from './cors.ts'
import { protocolError, type XrpcError } from './errors.ts'
import { hostFilter } from './host.ts'
import type { Dispatch, ReadJson } from './router.ts'
import { sendError, sendJson } from './send.ts'

// Not imported: that would evaluate all that node:http exports, with it Node's whole fetch (50 ms and 13 MB).
const { createServer } = process.getBuiltinModule('node:http')

export interface HttpOptions {
  readonly dispatch: Dispatch
  /** Host names to answer for, beside the loopback ones. */
  readonly hostnames: readonly string[]
  /** The health answer: what is sent, and whether the store can write. */
  readonly health: () => { version: string; healthy: boolean }
  /** Answers what is no method, such as the user interface; false when it has nothing at that path. */
  readonly fallback?: (req: IncomingMessage, res: ServerResponse, path: string) => Promise<boolean>
}

export type App = (req: IncomingMessage, res: ServerResponse) => void

const prefix = '/xrpc/'

export function createApp(options: HttpOptions): App {
  const isOurs = hostFilter(options.hostnames)
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.use(async (req, res) => {
    allowAnyOrigin(res)
    if (!isOurs(req.headers.host)) {
      return sendError(req, res, protocolError('Forbidden', 'This server does not answer for that host name'))
    }
    if (req.method === 'OPTIONS') return answerPreflight(req, res)
    const [path = '', query = ''] = splitOnce(req.url, '?')
    if (path === '/xrpc/_health') {
      const { healthy, version } = options.health()
      return sendJson(req, res, healthy ? 200 : 503, { version })
    }
    if (path.startsWith(prefix)) return options.dispatch(path.slice(prefix.length), query, req, res)
    if (await options.fallback?.(req, res, path)) return
    sendError(req, res, protocolError('InvalidRequest', 'Methods are called at /xrpc/<nsid>'))
  })
  return app
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** One parser a body limit: express keeps the limit in the parser. */
const parsers = new Map<number, ReturnType<typeof express.json>>()

export const readJson: ReadJson = (req, res, maxBytes) => {
  let parse = parsers.get(maxBytes)
  if (!parse) {
    parse = express.json({ limit: maxBytes, strict: false, type: isJson })
    parsers.set(maxBytes, parse)
  }
  const withBody = req as IncomingMessage & { body?: unknown }
  return new Promise((resolve, reject) => {
    parse(withBody as never, res as never, (error: unknown) => {
      if (error) reject(bodyError(error, maxBytes))
      else resolve(withBody.body)
    })
  })
}

function isJson(req: IncomingMessage): boolean {
  return req.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
}

function bodyError(error: unknown, maxBytes: number): XrpcError {
  const status = (error as { status?: number }).status
  if (status === 413) return protocolError('PayloadTooLarge', `The body may have ${maxBytes} bytes at most`)
  return protocolError('InvalidRequest', 'The body is not valid JSON in UTF-8')
}

export interface Listener {
  readonly port: number
  /** Takes no new connections, lets requests in flight finish for `graceMs`, then cuts what is left. */
  close(graceMs?: number): Promise<void>
}

/**
 * Listens on every host with the same port.
 * @param port 0 for any free one
 * @throws the system's error (`EADDRINUSE`, `EACCES`…) when a host that exists cannot be bound
 */
export async function listen(app: App, hosts: readonly string[], port: number): Promise<Listener> {
  const servers: Server[] = []
  let bound = port
  try {
    for (const host of hosts) {
      const server = createServer(app)
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
    server.closeIdleConnections()
  })
}
