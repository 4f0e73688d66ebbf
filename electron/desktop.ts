/** The composition root of the desktop: creates every part and connects it to the others. */
import { join } from 'node:path'
import { app, session } from 'electron'
import { clearDeleted, countOutbox } from '../server/mail/outbox.ts'
import { createLogger, type Logger } from '../server/util/log.ts'
import { createActions } from './actions.ts'
import { createBackups } from './backups.ts'
import { type collectLinks, screenAmong } from './deep-link.ts'
import type { Failures } from './failures.ts'
import type { Folders } from './folders.ts'
import { lockNavigation, lockPermissions } from './lockdown.ts'
import { startsHidden } from './login-item.ts'
import { type Logs, openLogs } from './logs.ts'
import { mailTexts } from './mail-settings.ts'
import { setupMenu } from './menu.ts'
import { notify } from './native-notifications.ts'
import { setupPage } from './page.ts'
import { setupQuit } from './quit.ts'
import { createSalvages } from './salvage.ts'
import { openSecrets, type Secrets } from './secrets.ts'
import { createEmbeddedServer } from './server.ts'
import { serverConfig } from './settings.ts'
import { createSettingsControl } from './settings-control.ts'
import { openSettings, type SettingsFile } from './settings-file.ts'
import { setupStateEvents } from './state-events.ts'
import { t } from './strings.ts'
import { createTray } from './tray.ts'
import { createUpdates } from './update-notices.ts'
import { createMainWindow } from './window.ts'

export interface DesktopOptions {
  readonly folders: Folders
  readonly followLinks: ReturnType<typeof collectLinks>
  readonly setCleanup: Failures['setCleanup']
}

/** What is read from disk before anything else is created. */
interface Opened {
  readonly folders: Folders
  readonly logs: Logs
  readonly log: Logger
  readonly file: SettingsFile
  readonly secrets: Secrets
}

export async function runDesktop({ folders, followLinks, setCleanup }: DesktopOptions): Promise<void> {
  const logs = openLogs(folders.logs)
  const log = createLogger('info', logs)
  const file = openSettings(folders.desktop, (movedTo) => log.error({ movedTo }, 'settings file damaged'))
  const secrets = await openSecrets(join(folders.desktop, 'secrets'), log)
  const parts = createParts({ folders, logs, log, file, secrets })
  const { server, quitting, window, tray, updates, actions, backups } = parts

  setCleanup((error) => {
    log.fatal({ err: error }, 'unhandled error, the app ends')
    return quitting.stop()
  })
  lockNavigation(log)
  lockPermissions(session.defaultSession, log)
  setupPage({ ...parts, logs, log, secrets, dataDir: folders.data })
  setupMenu({ window, actions, backups })
  setupStateEvents({ ...parts, logs, file, secrets })
  await tray.find()
  followLinks((screen) => window.show(screen))
  app.on('activate', () => window.show())

  // Messages deleted before this start cannot be restored any more.
  await clearDeleted(folders.data).catch(() => {})
  const starting = server.start()
  // A hidden start creates no window, which saves a renderer process. Windows reports a logoff to windows only, so without one the
  // app ends without cleanup there; all acknowledged writes are on disk.
  if (startsHidden()) void tray.await()
  else window.show(screenAmong(process.argv))
  await starting
  updates.watch({
    isWanted: () => file.get('settings').checkForUpdates,
    onClick: () => actions.openPage('update'),
  })
}

/** Creates the parts. They refer to each other, so each gets the others as functions that are called later. */
function createParts({ folders, log, file, secrets }: Opened) {
  const server = createEmbeddedServer({
    config: () =>
      serverConfig(
        folders.data,
        file.get('settings'),
        mailTexts(file.get('mail'), secrets.read('mail-password')),
      ),
    log,
    onMailKept: () => sendOutboxCount(),
  })
  const unsaved = { inPage: false }
  const quitting = setupQuit({
    canQuit: async () => !unsaved.inPage || window.confirmDiscard(),
    finish: async () => {
      await server.stop()
      await secrets.settled()
      await clearDeleted(folders.data)
      log.info('desktop ended')
    },
    log,
  })
  const window = createMainWindow({
    settings: file,
    findTray: () => tray.find(),
    isQuitting: quitting.isQuitting,
    quit: quitting.quit,
    end: quitting.end,
    log,
    onHidden: () => {
      if (file.get('closeNoticeShown')) return
      file.set('closeNoticeShown', true)
      notify(
        t.stillRunning,
        () => window.show(),
        () => window.showLater(t.stillRunning),
      )
    },
  })
  const sendOutboxCount = () => void countOutbox(folders.data).then((count) => window.send('outbox', count))
  const settings = createSettingsControl({
    file,
    secrets,
    dataFolder: folders.data,
    hasTray: () => tray.isShown,
    restart: () => server.restart(),
    log,
  })
  const updates = createUpdates()
  const actions = createActions({
    folders,
    endpoint: () => server.endpoint,
    updatePage: () => updates.page,
    log,
  })
  const backups = createBackups({ dataDir: folders.data, server, window: () => window.browserWindow, log })
  const salvages = createSalvages({ dataDir: folders.data, server, log })
  const tray = createTray({
    actions: {
      open: () => window.show(),
      copyEndpoint: actions.copyEndpoint,
      start: () => void server.start(),
      stop: () => void server.stop(),
      setStartAtLogin: (on) => void settings.change({ startAtLogin: on }),
      quit: quitting.quit,
    },
    view: () => ({ state: server.state, startAtLogin: file.get('settings').startAtLogin }),
    log,
  })
  return {
    server,
    quitting,
    window,
    settings,
    updates,
    actions,
    backups,
    salvages,
    tray,
    unsaved,
    sendOutboxCount,
  }
}
