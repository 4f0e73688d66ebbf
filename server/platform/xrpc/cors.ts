/**
 * CORS: any origin may call, because the only credential is a bearer token and cookies are not used.
 * Also answers the preflight of Private Network Access, so that a page on the public web may reach this loopback server.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isProxyHeader } from './client-address.ts'

const exposedHeaders =
  'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit-Policy, Retry-After, WWW-Authenticate, ' +
  'Atproto-Repo-Rev, Atproto-Content-Labelers, Content-Length, Content-Range, DPoP-Nonce, ETag'
const secondsPerDay = 86_400

export function allowAnyOrigin(res: ServerResponse): void {
  res.setHeader('Access-Control-Allow-Origin', '*')
  res.setHeader('Access-Control-Expose-Headers', exposedHeaders)
}

export function answerPreflight(req: IncomingMessage, res: ServerResponse): void {
  res.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST')
  // `*` would not cover Authorization (Fetch standard, "CORS non-wildcard request-header name").
  res.setHeader('Access-Control-Allow-Headers', allowedHeaders(req) || 'authorization')
  res.setHeader('Access-Control-Max-Age', secondsPerDay)
  res.setHeader('Vary', 'Access-Control-Request-Headers')
  if (req.headers['access-control-request-private-network'] === 'true') {
    res.setHeader('Access-Control-Allow-Private-Network', 'true')
  }
  res.writeHead(204).end()
}

/** The headers that a page asks for, except those of proxies: for these the browser refuses its request. */
function allowedHeaders({ headers }: IncomingMessage): string {
  const asked = headers['access-control-request-headers'] ?? ''
  return asked
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !isProxyHeader(name.toLowerCase()))
    .join(', ')
}
