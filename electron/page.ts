/** Connects the page to the main process: its files, content security policy, initial values, calls and events of the bridge. */
import { join } from 'node:path'
import { countOutbox } from '../server/platform/mail/outbox.ts'
import { version } from '../server/platform/util/version.ts'
import { showUnread } from './badge.ts'
import type { Bus } from './bus.ts'
import { createCalls } from './calls.ts'
import { built } from './folders.ts'
import { registerIpc } from './ipc.ts'
import type { Parts } from './parts.ts'
import { sourcePage } from './project.ts'
import { serveRenderer } from './protocol.ts'
import type { Secrets } from './secrets.ts'
import type { EmbeddedServer } from './server.ts'
import type { MainWindow } from './window.ts'
import type { Initial } from './wire.ts'

export type PageDeps = Omit<Parts, 'folders' | 'file'>

export function setupPage(deps: PageDeps): void {
  const { server, window, secrets, quitting, bus, log } = deps
  reloadOnNewEndpoint(server, window, bus)
  sendEvents(deps)
  registerIpc({
    calls: createCalls(deps),
    contents: () => window.contents,
    initial: () => initialFor(server, secrets),
    onSessions: (sessions) => secrets.write('sessions', sessions),
    onUnread: (count) => showUnread(count, window.browserWindow),
    onUnsaved: (isUnsaved) => quitting.setQuestion(isUnsaved ? window.confirmDiscard : undefined),
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

function sendEvents({ dataDir, settings, tray, window, secrets, logs, log, bus }: PageDeps): void {
  logs.onLine((line) => window.send('log', line))
  bus.on('serverState', (state) => window.send('serverState', state))
  bus.on('settings', () => window.send('settings', settings.view(tray.isShown)))
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

function initialFor(server: EmbeddedServer, secrets: Secrets): Initial {
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
    sessions: secrets.read('sessions'),
  }
}
