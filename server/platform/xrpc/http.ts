/** The HTTP entry on express: Host allow-list, CORS, health, then the router. The only file that imports express. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Request, type Response, Router } from 'express'
import { allowAnyOrigin, answerPreflight } from './cors.ts'
import { hostFilter, hostname } from './host.ts'
import type { App } from './listen.ts'
import { sendError, sendJson } from './send.ts'
import { protocolError } from './xrpc-errors.ts'

export interface HttpOptions {
  /** Answers paths under `/xrpc/`, called with the rest of the path. */
  readonly dispatch: (name: string, query: string, req: IncomingMessage, res: ServerResponse) => Promise<void>
  /** Host names to accept, besides the loopback ones. */
  readonly hostnames: readonly string[]
  /** Whether to accept any IP address as Host too, because the server listens on the network. */
  readonly anyAddress?: boolean
  /** The health response, and whether the store can write. */
  readonly health: () => { version: string; healthy: boolean }
  /** Identifies the running server, in the header `Server-Instance` of the health response. */
  readonly instance?: string
  /** Answers paths outside `/xrpc/`; false when there is nothing at the path. */
  readonly fallback?: Fallback
  /** Whether to accept a host name that is not in `hostnames` for this path. */
  readonly opensTo?: (name: string, path: string) => boolean
}

/** @param name host name of the request: lower case, without port */
export type Fallback = (
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
  name: string,
) => Promise<boolean>

const prefix = '/xrpc/'

export function createApp(options: HttpOptions): App {
  const isOurs = hostFilter(options.hostnames, options.anyAddress ?? false)
  // An application would give each request and response another prototype, which makes every later access slower.
  const app = Router()
  app.use(async (req, res) => {
    const { host, path, query } = targetOf(req)
    allowAnyOrigin(res)
    if (host === undefined && req.httpVersion === '1.1') {
      return sendError(req, res, protocolError('InvalidRequest', 'The request has no Host header'))
    }
    const name = host === undefined ? undefined : hostname(host)
    if (name === undefined || !(isOurs(name) || options.opensTo?.(name, path))) {
      return sendError(
        req,
        res,
        protocolError(
          'Forbidden',
          'This server does not accept that host name. Use its public URL, an allowed host name or localhost.',
        ),
      )
    }
    if (req.method === 'OPTIONS') return answerPreflight(req, res)
    if (path === '/xrpc/_health') {
      if (req.method !== 'GET' && req.method !== 'HEAD') {
        return sendError(req, res, protocolError('InvalidRequest', '_health is called with GET'))
      }
      const { healthy, ...answer } = options.health()
      if (options.instance) res.setHeader('server-instance', options.instance)
      return sendJson(req, res, healthy ? 200 : 503, answer)
    }
    if (path.startsWith(prefix)) return options.dispatch(path.slice(prefix.length), query, req, res)
    if (!path.startsWith('/')) return sendError(req, res, protocolError('InvalidRequest'))
    if (await options.fallback?.(req, res, path, name)) return
    sendError(req, res, protocolError('PathNotFound', 'Methods are called at /xrpc/<nsid>'))
  })
  return (req, res) => {
    // Express calls this for requests that it refuses (a target without a path) and on errors. Its default page has the stack.
    app(req as Request, res as Response, (error?: unknown) => {
      if (res.headersSent) return
      sendError(req, res, protocolError(error === undefined ? 'InvalidRequest' : 'InternalServerError'))
    })
  }
}

/** A target in absolute form takes precedence over the Host header (RFC 9112 §3.2.2). */
function targetOf({ url = '', headers }: IncomingMessage) {
  const absolute = url.startsWith('/') ? null : /^https?:\/\/([^/?]*)(.*)$/i.exec(url)
  const [path = '', query = ''] = splitOnce(absolute?.[2] ?? url, '?')
  return { host: absolute?.[1] ?? headers.host, path, query }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
