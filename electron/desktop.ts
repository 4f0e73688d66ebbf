/**
 * Sets up the parts of the desktop in this order: each gets parts above it, and emits events for those below it on the bus.
 *
 * Its rooms, each of which imports only those before it: `ground/` (the contract with the page, folders, texts), `system/` (tray host,
 * keyring, links, dialogs), `settings/` (and secrets), `server/` (states of the embedded server, quitting), `window/` (and tray, menu,
 * notifications), `replicas/` (backups, copies, restores) and `tunnels/` (a public address by a program of the person), `page/` (lets
 * the page make the calls that each part declares).
 */
import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import { app, session } from 'electron'
import type { KeptPlaces } from '../server/operation/host.ts'
import { mailTexts } from '../server/platform/config/mail-server.ts'
import { clearDeleted } from '../server/platform/mail/outbox.ts'
import { createLogger } from '../server/util/log.ts'
import type { Bus } from './ground/bus.ts'
import type { Folders } from './ground/folders.ts'
import type { Failures } from './ground/uncaught-errors.ts'
import { setupPage } from './page/page.ts'
import { setupBackups } from './replicas/backups.ts'
import { setupCopies } from './replicas/copies.ts'
import { keepCredentials } from './replicas/copies-keeper.ts'
import { setupCopyNotices } from './replicas/copy-notices.ts'
import { setupRestores } from './replicas/restore.ts'
import { setupActions } from './server/actions.ts'
import { setupKeepAwake } from './server/keep-awake.ts'
import { outboxCalls } from './server/outbox.ts'
import { setupQuit } from './server/quit.ts'
import { factorCalls } from './server/second-factors.ts'
import { setupServer } from './server/server.ts'
import { setupSettings } from './server/settings-control.ts'
import { openSecrets } from './settings/secrets.ts'
import { serverConfig } from './settings/settings.ts'
import { openSettings } from './settings/settings-file.ts'
import { type collectLinks, screenAmong } from './system/deep-link.ts'
import { lockNavigation, lockPermissions } from './system/lockdown.ts'
import { startsHidden } from './system/login-item.ts'
import { openLogs } from './system/logs.ts'
import { notify } from './system/notify.ts'
import { setupUpdates } from './system/updates.ts'
import { setupConnector } from './tunnels/connector.ts'
import { setupTunnel } from './tunnels/tunnel.ts'
import { setupMenu } from './window/menu.ts'
import { setupNotifications } from './window/native-notifications.ts'
import { setupTray } from './window/tray.ts'
import { setupUnreadBadge } from './window/unread-badge.ts'
import { setupUpdateNotices } from './window/update-notices.ts'
import { setupWindow } from './window/window.ts'
import { setupClosing } from './window/window-close.ts'

export interface DesktopDeps {
  readonly folders: Folders
  readonly followLinks: ReturnType<typeof collectLinks>
  readonly setCleanup: Failures['setCleanup']
}

export async function runDesktop({ folders, followLinks, setCleanup }: DesktopDeps): Promise<void> {
  const dataDir = folders.data
  const logs = openLogs(folders.logs)
  const log = createLogger('info', logs)
  const file = openSettings(folders.desktop, (movedTo) => log.error({ movedTo }, 'settings file damaged'))
  const secrets = await openSecrets(join(folders.desktop, 'secrets'), log)
  const bus: Bus = new EventEmitter()
  const config = () =>
    serverConfig(dataDir, file.get('settings'), {
      ...mailTexts(file.get('mail'), secrets.read('mail-password') ?? undefined),
      copies: file.get('copies').join(','),
    })

  lockNavigation(log)
  lockPermissions(session.defaultSession, log)
  const copiesKeeper = keepCredentials(secrets, log)
  const places: KeptPlaces = {
    list: () => file.get('copies'),
    async save(urls) {
      file.set('copies', urls)
    },
    setBy: undefined,
  }
  const server = setupServer({ config, places, copiesKeeper, bus, log, logTail: logs })
  const finish = async () => {
    await server.stop()
    await secrets.settled()
    await clearDeleted(dataDir)
    log.info('desktop ended')
  }
  const quitting = setupQuit({ finish, log })
  setCleanup((error) => {
    log.fatal({ err: error }, 'unhandled error, the app ends')
    return quitting.stop()
  })
  const window = setupWindow({ file, quitting, bus, log })
  const settings = setupSettings({ dataDir, file, secrets, server, bus, log })
  const updates = setupUpdates()
  const actions = setupActions({ folders, server, updates, quitting, log })
  const backups = setupBackups({ dataDir, server, window, log })
  const copies = setupCopies({ secrets, server, window, log })
  const restores = setupRestores({ dataDir, file, copiesKeeper, server, window, bus, log })
  setupKeepAwake({ file, server, bus, log })
  const tunnel = setupTunnel({ file, settings, server, log })
  const connector = setupConnector({ file, settings, secrets, server, log })
  const copyNotices = setupCopyNotices({ server, window, bus, notify })
  const tray = setupTray({ server, window, settings, actions, copyNotices, quitting, bus, log })
  setupClosing({ file, window, tray, quitting, bus })
  setupMenu({ window, actions, makeBackup: backups.make, log })
  setupNotifications({ server, window, file, secrets, bus })
  setupUnreadBadge({ server, window, secrets, bus })
  const calls = {
    ...{ ...server.calls, ...settings.calls, ...updates.calls, ...actions.calls, ...logs.calls },
    ...{ ...backups.calls, ...copies, ...restores, ...tunnel, ...connector },
    ...{ ...outboxCalls({ dataDir, server, bus, log }), ...factorCalls(server) },
  }
  setupPage({ calls, dataDir, server, window, settings, secrets, bus, log })
  await tray.find()
  followLinks((screen) => window.show(screen))
  app.on('activate', () => window.show())

  // Messages deleted before this start cannot be restored any more.
  await clearDeleted(dataDir).catch(() => {})
  const starting = server.start()
  // A hidden start saves a renderer process. Windows reports a logoff to windows only, so a hidden app ends there before its cleanup:
  // all acknowledged writes are on disk.
  if (startsHidden()) void tray.await()
  else window.show(screenAmong(process.argv))
  await starting
  setupUpdateNotices({ updates, file, actions })
}
