/** Limits of every page: it cannot leave our origin, open windows, embed other pages or use the machine's devices. */
import { app, type Session, type WebContents } from 'electron'
import type { Logger } from '../../server/util/log.ts'
import { isOurs } from '../ground/protocol.ts'

/** Permissions of our own page, each with its reason. All others are denied. */
const permissions: Readonly<Record<string, string>> = {
  'clipboard-sanitized-write': 'copies codes, addresses and app passwords',
  'loopback-network': 'calls the server on this machine',
  'local-network-access': 'the former name of loopback-network',
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

/** Applies to every page that is ever created, not only to the window's. */
export function lockNavigation(log: Logger): void {
  app.on('web-contents-created', (_, contents) => lock(contents, log))
}

function lock(contents: WebContents, log: Logger): void {
  const blockForeign = (event: { readonly url: string; preventDefault(): void }) => {
    if (isOurs(event.url)) return
    event.preventDefault()
    log.warn({ origin: originOf(event.url) }, 'navigation blocked')
  }
  contents.on('will-navigate', blockForeign)
  contents.on('will-frame-navigate', blockForeign)
  contents.on('will-redirect', blockForeign)
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    log.warn({ origin: originOf(url) }, 'new window blocked')
    return { action: 'deny' }
  })
}

/** The origin of a URL, for the log: path and query may hold personal data. */
function originOf(address: string): string {
  const url = URL.parse(address)
  return url ? `${url.protocol}//${url.host}` : ''
}
