/**
 * The HTTP endpoints of the authorization server: `/oauth/…` and its two documents. They answer any origin (CORS), because web
 * apps call them. A person decides in the interface, to which `/oauth/authorize` redirects.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { readFields } from '../../platform/xrpc/body.ts'
import { createCallerReader } from '../../platform/xrpc/caller.ts'
import { hostname, isLoopback } from '../../platform/xrpc/host.ts'
import type { Fallback } from '../../platform/xrpc/http.ts'
import type { Caller } from '../../platform/xrpc/method.ts'
import { limiter } from '../../platform/xrpc/rate-limit.ts'
import { sendJson } from '../../platform/xrpc/send.ts'
import { createSources } from '../../platform/xrpc/sources.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { urlsOf } from './app-session.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { resourceMetadata, serverMetadata } from './metadata.ts'
import type { OAuth } from './oauth.ts'
import type { OAuthDeps } from './oauth-parts.ts'

interface Deps extends Pick<OAuthDeps, 'config' | 'store' | 'log' | 'origin'> {
  readonly oauth: OAuth
}

const maxBodyBytes = 32 * 1024
/** Requests of a source. Each may make this server fetch a document. */
const limit = { points: 300, seconds: 5 * 60, per: 'address' } as const

/** The endpoints that take a form, by their path. */
const posts: Readonly<Record<string, keyof AuthorizationServer['endpoints']>> = {
  '/oauth/par': 'pushRequest',
  '/oauth/token': 'issueToken',
  '/oauth/revoke': 'revokeToken',
}

/** Answers the paths of the authorization server. */
export function createOAuthEndpoints({ config, store, log, origin, oauth }: Deps): Fallback {
  const readCaller = createCallerReader(config, createSources())
  const checkLimit = config.rateLimits ? limiter([limit], undefined) : undefined
  const documents: Readonly<Record<string, unknown>> = {
    '/.well-known/oauth-protected-resource': resourceMetadata(origin),
    '/.well-known/oauth-authorization-server': serverMetadata(origin),
    // Tokens are opaque to clients, so there is no key that they could verify them with.
    '/oauth/jwks': { keys: [] },
  }

  async function answerPost(req: IncomingMessage, res: ServerResponse, path: string): Promise<void> {
    const caller = readCaller(req)
    const { epoch } = store
    res.setHeader('Cache-Control', 'no-store')
    try {
      checkLimit?.({ input: undefined, address: caller.source, account: undefined }, res)
      const server = await oauth.load()
      res.setHeader('DPoP-Nonce', server.dpop.nonce())
      const fields = await readFields(req, maxBodyBytes)
      const endpoint = server.endpoints[posts[path] as keyof AuthorizationServer['endpoints']]
      const { status, body } = await endpoint(requestOf(req, caller, origin), fields)
      await store.settled(epoch)
      sendJson(req, res, status, body)
    } catch (error) {
      const { status, body } = errorResponse(error)
      if (status === 500) log.error({ err: error, path }, 'OAuth endpoint failed')
      sendJson(req, res, status, body)
    }
  }

  /** Redirects to the interface. This includes `prompt=none`: only a person's session shows whether the client was allowed before. */
  async function authorize(res: ServerResponse, query: URLSearchParams): Promise<void> {
    const { requests } = await oauth.load()
    const id = requests.idOf(query.get('request_uri'))
    const request = id === undefined ? undefined : requests.find(id)
    const isKnown = request !== undefined && request.clientId === query.get('client_id')
    res.setHeader('Cache-Control', 'no-store')
    const page = `${origin}/#/authorize/${isKnown ? request.id : 'unknown'}`
    res.writeHead(303, { Location: page, 'Referrer-Policy': 'no-referrer' }).end()
  }

  return async (req, res, path) => {
    const isPost = Object.hasOwn(posts, path)
    const document = documents[path]
    if (document === undefined && !isPost && path !== '/oauth/authorize') return false
    if (!config.oauth) return false
    const allowed = isPost ? ['POST'] : ['GET', 'HEAD']
    if (!allowed.includes(req.method ?? '')) {
      res.setHeader('Allow', allowed.join(', '))
      sendJson(req, res, 405, { error: 'invalid_request', error_description: `Use ${allowed[0]}` })
    } else if (isPost) await answerPost(req, res, path)
    else if (document !== undefined) sendJson(req, res, 200, document)
    else await authorize(res, URL.parse(req.url ?? '', origin)?.searchParams ?? new URLSearchParams())
    return true
  }
}

function requestOf(req: IncomingMessage, caller: Caller, origin: string) {
  return {
    method: caller.method,
    urls: urlsOf(caller, origin),
    proof: req.headers.dpop,
    source: caller.source,
    network: caller.network,
    isLocal: caller.isLocal,
    isFromWeb: isPageOfWeb(req.headers.origin),
  }
}

/** Whether a page of the web sent a request. Pages on loopback, apps with their own scheme and programs without `Origin` are others. */
function isPageOfWeb(origin: string | undefined): boolean {
  if (origin === undefined) return false
  const url = URL.parse(origin)
  if (!url) return true
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false
  const name = hostname(url.host)
  return name !== 'localhost' && !(name !== undefined && isLoopback(name))
}

/** Returns the response of an error. The errors of this server's libraries are recognized by their shape: they are not loaded here. */
function errorResponse(error: unknown): { readonly status: number; readonly body: unknown } {
  if (error instanceof XrpcError) {
    const code = error.status === 429 ? 'slow_down' : 'invalid_request'
    return { status: error.status, body: { error: code, error_description: error.message } }
  }
  const { name, status, message, code } = error as {
    name?: string
    status?: number
    message?: string
    code?: string
  }
  if (name === 'OAuthError' && status !== undefined) return { status, body: error }
  if (name === 'DpopError') return { status: 400, body: { error: code, error_description: message } }
  return { status: 500, body: { error: 'server_error', error_description: 'The server failed' } }
}
