/** Redirects browsers from unknown paths to the interface; programs get the JSON error. */
import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Redirects to the interface when a person opened the path: browsers name `text/html` when they navigate, programs and
 * `fetch` do not. A fragment, which holds the screen, survives the redirect.
 * @returns false when a program asked
 */
export function redirectPageVisit({ method, headers }: IncomingMessage, res: ServerResponse): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (!headers.accept?.includes('text/html')) return false
  res.setHeader('Vary', 'Accept')
  res.setHeader('Cache-Control', 'no-store')
  res.writeHead(302, { Location: '/' }).end()
  return true
}
