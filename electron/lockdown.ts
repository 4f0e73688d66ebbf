/** What no page may do, whatever it holds: leave our origin, open windows, embed others, ask for what a page can ask of a machine. */
import { app, type Session, type WebContents } from 'electron'
import type { Logger } from '../server/util/log.ts'
import { isOurs } from './protocol.ts'

/** What our own page is allowed, each with its reason. Everything else is denied. */
const permissions: Readonly<Record<string, string>> = {
  'clipboard-sanitized-write': 'copies codes, addresses and app passwords',
  'loopback-network': 'calls the server on this machine',
  'local-network-access': 'the former name of the same',
}

export function lockPermissions(session: Session, log: Logger): void {
  const isAllowed = (permission: string, origin: string) => isOurs(origin) && permission in permissions
  session.setPermissionCheckHandler((_, permission, origin) => isAllowed(permission, origin))
  session.setPermissionRequestHandler((_, permission, callback, { requestingUrl }) => {
    const allowed = isAllowed(permission, requestingUrl)
    if (!allowed) log.warn({ permission }, 'permission denied')
    callback(allowed)
  })
  session.setDevicePermissionHandler(() => false)
}

/** Holds for every page there will ever be, not only for the window's. */
export function lockNavigation(log: Logger): void {
  app.on('web-contents-created', (_, contents) => lock(contents, log))
}

function lock(contents: WebContents, log: Logger): void {
  const stay = (event: { readonly url: string; preventDefault(): void }) => {
    if (isOurs(event.url)) return
    event.preventDefault()
    log.warn({ origin: originOf(event.url) }, 'navigation blocked')
  }
  contents.on('will-navigate', stay)
  contents.on('will-frame-navigate', stay)
  contents.on('will-redirect', stay)
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    log.warn({ origin: originOf(url) }, 'new window blocked')
    return { action: 'deny' }
  })
}

/** Without path and query: those may hold what is nobody's business. */
function originOf(address: string): string {
  const url = URL.parse(address)
  return url ? `${url.protocol}//${url.host}` : ''
}
