/** Forwards state changes to the tray and the page, and shows new notifications in the system. */
import type { Logs } from './logs.ts'
import { showArrivals } from './native-notifications.ts'
import type { Secrets } from './secrets.ts'
import type { EmbeddedServer } from './server.ts'
import { signedIn } from './sessions.ts'
import type { SettingsControl } from './settings-control.ts'
import type { SettingsFile } from './settings-file.ts'
import type { DesktopTray } from './tray.ts'
import type { MainWindow } from './window.ts'

export interface StateEventsDeps {
  readonly server: EmbeddedServer
  readonly settings: SettingsControl
  readonly file: SettingsFile
  readonly secrets: Secrets
  readonly window: MainWindow
  readonly tray: DesktopTray
  readonly logs: Logs
}

export function setupStateEvents(deps: StateEventsDeps): void {
  const { server, settings, secrets, window, tray, logs } = deps
  settings.onChange((view) => {
    tray.update()
    window.send('settings', view)
  })
  logs.onLine((line) => window.send('log', line))
  server.onChange((state) => {
    tray.update()
    window.send('serverState', state)
    if (state.kind === 'running') showNewNotifications(deps)
  })
  secrets.onLateLoad((names) => {
    settings.announce()
    if (names.includes('mail-password')) void server.restart()
    // The page reads its sessions at the start only.
    if (names.includes('sessions')) window.reload()
  })
}

/** Ends by itself when the server closes. */
function showNewNotifications({ server, file, secrets, window }: StateEventsDeps): void {
  const { services } = server
  if (!services) return
  showArrivals({
    services,
    isOpen: () => server.services === services,
    dids: () => signedIn(secrets.read('sessions')),
    isWanted: () => file.get('settings').nativeNotifications && !window.isShowing('/notifications'),
    onClick: () => window.show('/notifications'),
  })
}
