/** Redirects of browsers: from unknown paths to the interface, and from 127.0.0.1 to localhost. Programs are not redirected. */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Where apps send people to manage their account: the path of the reference server. Its pages below have other screens here. */
const accountPath = /^\/account(?:\/|$)/

/**
 * Redirects to the interface when a person opened the path: browsers accept `text/html` when they navigate, programs and
 * `fetch` do not ask for it. Browsers keep the fragment, which has the screen, unless the path names one.
 * @returns false for a request of a program
 */
export function redirectPageVisit(
  { method, headers }: IncomingMessage,
  res: ServerResponse,
  path = '',
): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (!headers.accept?.includes('text/html')) return false
  res.setHeader('Vary', 'Accept')
  res.setHeader('Cache-Control', 'no-store')
  res.writeHead(302, { Location: accountPath.test(path) ? '/#/account' : '/' }).end()
  return true
}

const loopbackHost = /^127\.0\.0\.1(?<port>:\d+)?$/

/**
 * Redirects a visit of 127.0.0.1 to localhost: to a browser the two are different origins, so a session of one is not known
 * to the other. Browsers keep the fragment. A proxy may replace the Host, so requests that one has passed on stay.
 * @returns false for all other requests
 */
export function redirectToLocalhost({ method, url, headers }: IncomingMessage, res: ServerResponse): boolean {
  const host = loopbackHost.exec(headers.host ?? '')
  if (method !== 'GET' || headers['sec-fetch-mode'] !== 'navigate' || !host) return false
  if (headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined) return false
  res.setHeader('Vary', 'Host, Sec-Fetch-Mode')
  res.setHeader('Cache-Control', 'no-store')
  res.writeHead(302, { Location: `http://localhost${host.groups?.port ?? ''}${url ?? '/'}` }).end()
  return true
}
