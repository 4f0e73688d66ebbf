/** The composition root of the desktop: every part is made here and handed to the others. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { app, clipboard, session, shell } from 'electron'
import { clearDeleted, countOutbox } from '../server/mail/outbox.ts'
import { createLogger } from '../server/util/log.ts'
import { version } from '../server/util/version.ts'
import { createBackups } from './backups.ts'
import { showUnread } from './badge.ts'
import type { UpdateState } from './bridge.ts'
import { createCalls } from './calls.ts'
import { type hearLinks, screenAmong } from './deep-link.ts'
import { built, type Folders } from './folders.ts'
import { openDoor } from './ipc.ts'
import { lockNavigation, lockPermissions } from './lockdown.ts'
import { startsHidden } from './login-item.ts'
import { openLogs } from './logs.ts'
import { mailTexts } from './mail-settings.ts'
import { setMenu } from './menu.ts'
import { notify, showArrivals } from './native-notifications.ts'
import { releaseFeed, sourcePage } from './project.ts'
import { serveRenderer } from './protocol.ts'
import { quitGracefully } from './quit.ts'
import { openSecrets } from './secrets.ts'
import { createEmbeddedServer } from './server.ts'
import { signedIn } from './sessions.ts'
import { openSettings, serverConfig } from './settings.ts'
import { createSettingsControl } from './settings-control.ts'
import { t } from './strings.ts'
import { createTray } from './tray.ts'
import { checkForUpdates } from './updates.ts'
import { createMainWindow } from './window.ts'

/** The app may run for weeks. */
const updatesEveryMs = 24 * 60 * 60_000

export async function runDesktop(folders: Folders, followLinks: ReturnType<typeof hearLinks>): Promise<void> {
  const logs = openLogs(folders.logs)
  const log = createLogger('info', logs)
  const file = openSettings(folders.desktop, (movedTo) => log.error({ movedTo }, 'the settings were damaged'))
  const secrets = await openSecrets(join(folders.desktop, 'secrets'), log)

  const server = createEmbeddedServer({
    config: () =>
      serverConfig(
        folders.data,
        file.get('settings'),
        mailTexts(file.get('mail'), secrets.read('mail-password')),
      ),
    log,
    onMailKept: () => tellOutbox(),
  })
  const settings = createSettingsControl({
    file,
    secrets,
    dataFolder: folders.data,
    hasTray: () => tray.isThere,
    restart: () => server.restart(),
    log,
  })

  let isUnsaved = false
  const { isQuitting, quit, end } = quitGracefully({
    mayQuit: async () => !isUnsaved || window.mayLose(),
    finish: async () => {
      await server.stop()
      await secrets.settled()
      await clearDeleted(folders.data)
      log.info('the desktop ends')
    },
    log,
  })
  const window = createMainWindow({
    settings: file,
    findTray: () => tray.find(),
    isQuitting,
    quit,
    end,
    log,
    onHidden: () => {
      if (file.get('closeNoticeShown')) return
      file.set('closeNoticeShown', true)
      notify(t.stillRunning, () => window.show())
    },
  })
  const tellOutbox = () => void countOutbox(folders.data).then((count) => window.send('outbox', count))

  let lastUpdate: UpdateState | undefined
  const lookForUpdates = async () => {
    lastUpdate = await checkForUpdates({ feed: releaseFeed, current: version })
    return lastUpdate
  }
  const actions = {
    copyEndpoint: () => void clipboard.writeText(server.endpoint),
    openFolder: (which: 'data' | 'backups' | 'logs') => {
      const folder = { data: folders.data, backups: join(folders.data, 'backups'), logs: folders.logs }[which]
      void mkdir(folder, { recursive: true, mode: 0o700 })
        .then(() => shell.openPath(folder))
        .then((problem) => {
          if (problem !== '') throw new Error(problem)
        })
        .catch((error: unknown) => log.warn({ err: error }, 'a folder could not be opened'))
    },
    openPage: (which: 'endpoint' | 'update' | 'source') => {
      const updatePage = lastUpdate?.kind === 'available' ? lastUpdate.page : undefined
      const page = { endpoint: server.endpoint, update: updatePage, source: sourcePage }[which]
      if (page !== undefined) void shell.openExternal(page)
    },
  }

  const backups = createBackups({ dataDir: folders.data, server, window: () => window.browserWindow, log })
  const calls = createCalls({
    dataDir: folders.data,
    server,
    settings,
    backups,
    logs,
    log,
    checkForUpdates: lookForUpdates,
    ...actions,
    onOutboxChange: tellOutbox,
    quit,
  })

  lockNavigation(log)
  lockPermissions(session.defaultSession, log)
  /** What the page was loaded for: its policy lets it reach this and nothing else. */
  let pageEndpoint: string | undefined
  serveRenderer(join(built, 'renderer'), () => {
    pageEndpoint = server.endpoint
    return server.endpoint
  })
  openDoor({
    calls,
    contents: () => window.contents,
    initial: () => ({
      endpoint: server.endpoint,
      version: {
        app: version,
        electron: process.versions.electron ?? '',
        node: process.versions.node,
        chrome: process.versions.chrome ?? '',
      },
      platform: process.platform as 'linux' | 'darwin' | 'win32',
      hasSource: sourcePage !== undefined,
      initialState: server.state,
      sessions: secrets.read('sessions'),
    }),
    onSessions: (sessions) => secrets.write('sessions', sessions),
    onUnread: (count) => showUnread(count, window.browserWindow),
    onUnsaved: (now) => {
      isUnsaved = now
    },
    log,
  })

  const tray = createTray(
    {
      open: () => window.show(),
      copyEndpoint: actions.copyEndpoint,
      start: () => void server.start(),
      stop: () => void server.stop(),
      setStartAtLogin: (on) => void settings.change({ startAtLogin: on }),
      quit,
    },
    () => ({ state: server.state, startAtLogin: file.get('settings').startAtLogin }),
  )
  await tray.find()
  setMenu({
    show: window.show,
    ...actions,
    openInBrowser: () => actions.openPage('endpoint'),
    backUp: () =>
      void backups['backups.make']().then((made) =>
        notify(made.ok ? t.backedUp(made.value.name) : t.notBackedUp(made.message), () =>
          window.show('/backups'),
        ),
      ),
  })
  followLinks((screen) => window.show(screen))
  app.on('activate', () => window.show())

  settings.onChange((view) => {
    tray.update()
    window.send('settings', view)
  })
  logs.onLine((line) => window.send('log', line))
  server.onChange((state) => {
    tray.update()
    window.send('serverState', state)
    const isElsewhere = pageEndpoint !== undefined && pageEndpoint !== server.endpoint
    if (isElsewhere && state.kind !== 'starting') window.reload()
    const { services } = server
    if (state.kind === 'running' && services) {
      showArrivals({
        services,
        isOpen: () => server.services === services,
        dids: () => signedIn(secrets.read('sessions')),
        isWanted: () => file.get('settings').nativeNotifications && !window.isShowing('/notifications'),
        onClick: () => window.show('/notifications'),
      })
    }
  })

  // What was deleted before this start cannot be brought back any more.
  await clearDeleted(folders.data).catch(() => {})
  const starting = server.start()
  if (startsHidden()) void tray.await()
  else window.show(screenAmong(process.argv))
  await starting
  tellOfUpdate()
  setInterval(tellOfUpdate, updatesEveryMs).unref()

  /** Once for each version. */
  function tellOfUpdate(): void {
    const told = lastUpdate?.kind === 'available' ? lastUpdate.version : undefined
    if (!file.get('settings').checkForUpdates) return
    void lookForUpdates().then((update) => {
      if (update.kind !== 'available' || update.version === told) return
      notify(t.update(update.version), () => actions.openPage('update'))
    })
  }
}
