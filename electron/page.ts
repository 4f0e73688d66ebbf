/** Connects the page to the main process: its files, content security policy, initial values and the calls of the bridge. */
import { join } from 'node:path'
import type { Logger } from '../server/util/log.ts'
import { version } from '../server/util/version.ts'
import type { Actions } from './actions.ts'
import type { Backups } from './backups.ts'
import { showUnread } from './badge.ts'
import { createCalls } from './calls.ts'
import { built } from './folders.ts'
import { registerIpc } from './ipc.ts'
import type { Logs } from './logs.ts'
import { sourcePage } from './project.ts'
import { serveRenderer } from './protocol.ts'
import type { Quitting } from './quit.ts'
import type { Salvages } from './salvage.ts'
import type { Secrets } from './secrets.ts'
import type { EmbeddedServer } from './server.ts'
import type { SettingsControl } from './settings-control.ts'
import type { Updates } from './update-notices.ts'
import type { MainWindow } from './window.ts'
import type { Initial } from './wire.ts'

export interface PageDeps {
  readonly dataDir: string
  readonly server: EmbeddedServer
  readonly window: MainWindow
  readonly settings: SettingsControl
  readonly secrets: Secrets
  readonly backups: Backups
  readonly salvages: Salvages
  readonly updates: Updates
  readonly actions: Actions
  readonly quitting: Quitting
  /** Whether the page has unsaved changes. */
  readonly unsaved: { inPage: boolean }
  readonly sendOutboxCount: () => void
  readonly logs: Logs
  readonly log: Logger
}

export function setupPage(deps: PageDeps): void {
  const { server, window, secrets, unsaved, updates, actions, log } = deps
  reloadOnNewEndpoint(deps)
  registerIpc({
    calls: createCalls({
      ...deps,
      checkForUpdates: updates.check,
      openFolder: actions.openFolder,
      openPage: actions.openPage,
      onOutboxChange: deps.sendOutboxCount,
      quit: deps.quitting.quit,
    }),
    contents: () => window.contents,
    initial: () => initialFor(server, secrets),
    onSessions: (sessions) => secrets.write('sessions', sessions),
    onUnread: (count) => showUnread(count, window.browserWindow),
    onUnsaved: (isUnsaved) => {
      unsaved.inPage = isUnsaved
    },
    log,
  })
}

/** Reloads the page when the endpoint changes, because its content security policy allows only the endpoint at page load. */
function reloadOnNewEndpoint({ server, window }: Pick<PageDeps, 'server' | 'window'>): void {
  let loadedFor: string | undefined
  serveRenderer(join(built, 'renderer'), () => {
    loadedFor = server.endpoint
    return server.endpoint
  })
  server.onChange(({ kind }) => {
    const hasMoved = loadedFor !== undefined && loadedFor !== server.endpoint
    if (hasMoved && kind !== 'starting') window.reload()
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
