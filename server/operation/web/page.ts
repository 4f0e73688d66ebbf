/**
 * The files of the built interface, and the headers that protect a page that holds tokens. Shared by the server, which serves
 * them at `/`, and by the desktop, which serves them under its own scheme.
 */
import { extname } from 'node:path'

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

/** Returns the file at a path of the interface; undefined if a part is not a plain name, so all paths stay in the folder. */
export function fileAt(path: string): string | undefined {
  return path === '/' ? 'index.html' : /^\/((?:assets\/)?[\w-]+(?:\.[\w-]+)+)$/.exec(path)?.[1]
}

export function contentTypeOf(file: string): string {
  return contentTypes[extname(file)] ?? 'application/octet-stream'
}

/**
 * Headers of every file of the interface: it runs its own scripts only, cannot be framed, and connects to nothing else.
 * @param connectTo sources of CSP's `connect-src`; `'self'` includes WebSockets to the same host (CSP level 3)
 * @param images further sources of images, besides its own origin and previews (`blob:`)
 */
export function pageHeaders(connectTo = "'self'", images = ''): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob: ${images}`.trimEnd(),
    "font-src 'self'",
    `connect-src ${connectTo}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ]
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }
}
