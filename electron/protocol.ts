/**
 * `app://pds/`: the scheme under which the window loads the built user interface. The page runs no script but its own and reaches
 * nothing but the server.
 */
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { protocol } from 'electron'

const scheme = 'app'
const host = 'pds'

export const pageUrl = `${scheme}://${host}/`

/** Whether an address is within our own origin. Parsed, not compared as text: `app://pds.evil` begins alike. */
export function isOurs(address: string): boolean {
  const url = URL.parse(address)
  return url?.protocol === `${scheme}:` && url.host === host
}

/** Before the app is ready. Standard and secure: it has an origin, and its page may call a loopback server. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ])
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * @param folder the built renderer
 * @param endpoint where the server is, or would be, at the moment
 */
export function serveRenderer(folder: string, endpoint: () => string): void {
  protocol.handle(scheme, async ({ url, method }) => {
    const { pathname } = new URL(url)
    // Only plain names: nothing that could climb out of the folder.
    const name =
      pathname === '/' ? 'index.html' : /^\/((?:assets\/)?[\w-]+(?:\.[\w-]+)+)$/.exec(pathname)?.[1]
    if (method !== 'GET' || name === undefined || !isOurs(url)) return new Response(null, { status: 400 })
    const content = await readFile(join(folder, name)).catch(() => undefined)
    if (!content) return new Response(null, { status: 404 })
    return new Response(content, {
      headers: {
        'Content-Type': contentTypes[extname(name)] ?? 'application/octet-stream',
        'Content-Security-Policy': policyFor(endpoint()),
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cache-Control': 'no-cache',
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
      },
    })
  })
}

function policyFor(endpoint: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${endpoint} ${endpoint.replace(/^http/, 'ws')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}
