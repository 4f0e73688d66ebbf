/**
 * The HTTP endpoints of the authorization server: `/oauth/…` and its two documents. They answer any origin (CORS), because web
 * apps call them. A person decides in the interface, to which `/oauth/authorize` redirects.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answering } from '../../platform/xrpc/answer.ts'
import { createForms, type FormCall, type FormResponse } from '../../platform/xrpc/forms.ts'
import { hostname, isLoopback } from '../../platform/xrpc/host.ts'
import type { Fallback } from '../../platform/xrpc/http.ts'
import type { Caller } from '../../platform/xrpc/method.ts'
import { sendJson } from '../../platform/xrpc/send.ts'
import type { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { urlsOf } from './app-session.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { resourceMetadata, serverMetadata } from './metadata.ts'
import type { OAuth } from './oauth.ts'
import type { OAuthDeps } from './oauth-parts.ts'

interface Deps extends Pick<OAuthDeps, 'config' | 'origin'> {
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
export function createOAuthEndpoints({ config, origin, oauth }: Deps, answering: Answering): Fallback {
  const documents: Readonly<Record<string, unknown>> = {
    '/.well-known/oauth-protected-resource': resourceMetadata(origin),
    '/.well-known/oauth-authorization-server': serverMetadata(origin),
    // Tokens are opaque to clients, so there is no key that they could verify them with.
    '/oauth/jwks': { keys: [] },
  }

  const answerPost = createForms(answering, {
    limits: [limit],
    maxBytes: maxBodyBytes,
    handle,
    errorResponse,
  })

  async function handle({ path, caller, req, res, readFields }: FormCall): Promise<FormResponse> {
    const server = await oauth.load()
    res.setHeader('DPoP-Nonce', server.dpop.nonce())
    const endpoint = server.endpoints[posts[path] as keyof AuthorizationServer['endpoints']]
    try {
      return await endpoint(requestOf(req, caller, origin), await readFields())
    } catch (error) {
      const refused = refusalOf(error)
      if (refused) return refused
      throw error
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
    } else if (isPost) {
      res.setHeader('Cache-Control', 'no-store')
      await answerPost(req, res, path)
    } else if (document !== undefined) sendJson(req, res, 200, document)
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

/** Returns the response to a request that OAuth refuses. The errors of its libraries are recognized by their shape: they are not loaded here. */
function refusalOf(error: unknown): FormResponse | undefined {
  const { name, status, message, code } = error as {
    name?: string
    status?: number
    message?: string
    code?: string
  }
  if (name === 'OAuthError' && status !== undefined) return { status, body: error }
  if (name === 'DpopError') return { status: 400, body: { error: code, error_description: message } }
  return undefined
}

const codes: Readonly<Record<number, string>> = {
  429: 'slow_down',
  500: 'server_error',
  503: 'temporarily_unavailable',
}

function errorResponse({ status, message }: XrpcError): FormResponse {
  return { status, body: { error: codes[status] ?? 'invalid_request', error_description: message } }
}
