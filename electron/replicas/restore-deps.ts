/** The parts of the desktop that a restore needs. */

import type { CredentialsKeeper } from '../../server/operation/replicas/credentials.ts'
import type { Logger } from '../../server/util/log.ts'
import type { Bus } from '../ground/bus.ts'
import type { EmbeddedServer } from '../server/server.ts'
import type { SettingsFile } from '../settings/settings-file.ts'
import type { MainWindow } from '../window/window.ts'

export interface RestoresDeps {
  readonly dataDir: string
  readonly file: SettingsFile
  readonly server: EmbeddedServer
  readonly window: MainWindow
  readonly bus: Bus
  readonly log: Logger
  readonly copiesKeeper: CredentialsKeeper
}
