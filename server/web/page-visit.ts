/** Redirects browsers from unknown paths to the interface; programs get the JSON error. */
import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Redirects to the interface when a person opened the path: browsers accept `text/html` when they navigate, programs and
 * `fetch` do not ask for it. Browsers keep the fragment, which has the screen.
 * @returns false for a request of a program
 */
export function redirectPageVisit({ method, headers }: IncomingMessage, res: ServerResponse): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (!headers.accept?.includes('text/html')) return false
  res.setHeader('Vary', 'Accept')
  res.setHeader('Cache-Control', 'no-store')
  res.writeHead(302, { Location: '/' }).end()
  return true
}
