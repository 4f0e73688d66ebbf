/** The parts of the desktop, in the order in which `desktop.ts` creates them. Each names the parts that it needs. */
import type { Logger } from '../server/platform/util/log.ts'
import type { Actions } from './actions.ts'
import type { Backups } from './backups.ts'
import type { Bus } from './bus.ts'
import type { Copies } from './copies.ts'
import type { CopyNotices } from './copy-notices.ts'
import type { Folders } from './folders.ts'
import type { Logs } from './logs.ts'
import type { Quitting } from './quit.ts'
import type { Restores } from './restore.ts'
import type { Secrets } from './secrets.ts'
import type { EmbeddedServer } from './server.ts'
import type { SettingsControl } from './settings-control.ts'
import type { SettingsFile } from './settings-file.ts'
import type { DesktopTray } from './tray.ts'
import type { Connector } from './tunnels/connector.ts'
import type { Tunnel } from './tunnels/tunnel.ts'
import type { Updates } from './update-notices.ts'
import type { MainWindow } from './window.ts'

export interface Parts {
  readonly folders: Folders
  readonly dataDir: string
  readonly logs: Logs
  readonly log: Logger
  readonly file: SettingsFile
  readonly secrets: Secrets
  readonly bus: Bus
  readonly server: EmbeddedServer
  readonly quitting: Quitting
  readonly window: MainWindow
  readonly settings: SettingsControl
  readonly updates: Updates
  readonly actions: Actions
  readonly backups: Backups
  readonly copies: Copies
  readonly restores: Restores
  readonly copyNotices: CopyNotices
  readonly tunnel: Tunnel
  readonly connector: Connector
  readonly tray: DesktopTray
}
