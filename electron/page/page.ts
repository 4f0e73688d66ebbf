/** Connects the page to the main process: its files, content security policy, initial values, calls and events of the bridge. */

import { join } from 'node:path'
import { version } from '../../server/platform/config/version.ts'
import { countOutbox } from '../../server/platform/mail/outbox.ts'
import type { Logger } from '../../server/util/log.ts'
import type { Bus } from '../ground/bus.ts'
import type { Calls } from '../ground/calls.ts'
import { built } from '../ground/folders.ts'
import { sourcePage } from '../ground/project.ts'
import { serveRenderer } from '../ground/protocol.ts'
import type { Initial } from '../ground/wire.ts'
import type { EmbeddedServer } from '../server/server.ts'
import type { SettingsControl } from '../server/settings-control.ts'
import type { Secrets } from '../settings/secrets.ts'
import type { MainWindow } from '../window/window.ts'
import { registerIpc } from './ipc.ts'

export interface PageDeps {
  readonly calls: Calls
  readonly dataDir: string
  readonly log: Logger
  readonly secrets: Secrets
  readonly bus: Bus
  readonly server: EmbeddedServer
  readonly window: MainWindow
  readonly settings: SettingsControl
}

export function setupPage(deps: PageDeps): void {
  const { calls, server, window, secrets, bus, log } = deps
  reloadOnNewEndpoint(server, window, bus)
  sendEvents(deps)
  registerIpc({
    calls,
    contents: () => window.browserWindow?.webContents,
    initial() {
      window.pageListens()
      return initialFor(server, secrets, window)
    },
    onSessions: (sessions) => {
      secrets.write('sessions', sessions)
      bus.emit('sessions')
    },
    onReport: window.report,
    log,
  })
}

/** Reloads the page when the endpoint changes, because its content security policy allows only the endpoint at page load. */
function reloadOnNewEndpoint(server: EmbeddedServer, window: MainWindow, bus: Bus): void {
  let loadedFor: string | undefined
  serveRenderer(join(built, 'renderer'), () => {
    loadedFor = server.endpoint
    return server.endpoint
  })
  bus.on('serverState', ({ kind }) => {
    const hasMoved = loadedFor !== undefined && loadedFor !== server.endpoint
    if (hasMoved && kind !== 'starting') window.reload()
  })
}

function sendEvents({ dataDir, settings, window, secrets, log, bus }: PageDeps): void {
  bus.on('serverState', (state) => window.send('serverState', state))
  bus.on('settings', () => window.send('settings', settings.view()))
  bus.on('outbox', () => {
    countOutbox(dataDir).then(
      (count) => window.send('outbox', count),
      (error: unknown) => log.warn({ err: error }, 'outbox unreadable'),
    )
  })
  // The page reads its sessions at the start only.
  secrets.onLateLoad((names) => {
    if (names.includes('sessions')) window.reload()
  })
}

function initialFor(server: EmbeddedServer, secrets: Secrets, window: MainWindow): Initial {
  return {
    endpoint: server.endpoint,
    version: {
      app: version,
      electron: process.versions.electron ?? '',
      node: process.versions.node,
      chrome: process.versions.chrome ?? '',
    },
    platform: process.platform as Initial['platform'],
    hasSource: sourcePage !== undefined,
    initialState: server.state,
    initialScroll: window.scroll,
    sessions: secrets.read('sessions'),
  }
}
