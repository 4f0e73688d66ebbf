/**
 * `app://pds/`: the scheme under which the window loads the built user interface. The page runs no script but its own and reaches
 * nothing but the server.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { protocol } from 'electron'
import { contentTypeOf, fileAt, pageHeaders } from '../../server/operation/web/page.ts'
import { windowOrigin } from '../../server/platform/xrpc/page-origin.ts'

const { protocol: colonScheme, host } = new URL(windowOrigin)
const scheme = colonScheme.slice(0, -1)

export const pageUrl = `${windowOrigin}/`

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

/**
 * @param folder the built renderer
 * @param endpoint where the server is, or would be, at the moment
 */
export function serveRenderer(folder: string, endpoint: () => string): void {
  protocol.handle(scheme, async ({ url, method }) => {
    const { pathname } = new URL(url)
    const name = fileAt(pathname)
    if (method !== 'GET' || name === undefined || !isOurs(url)) return new Response(null, { status: 400 })
    const content = await readFile(join(folder, name)).catch(() => undefined)
    if (!content) return new Response(null, { status: 404 })
    const server = endpoint()
    return new Response(content, {
      headers: {
        ...pageHeaders(`${server} ${server.replace(/^http/, 'ws')}`, server),
        'Content-Type': contentTypeOf(name),
        'Cache-Control': 'no-cache',
      },
    })
  })
}
