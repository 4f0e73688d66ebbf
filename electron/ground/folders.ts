/** The folders of the desktop, and the folder of the program's own files. */
import { hash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { app } from 'electron'
import { defaultDataDir } from '../../server/platform/config/config.ts'
import { directory } from '../../server/platform/config/values.ts'

export interface Folders {
  /** The server's data directory. */
  readonly data: string
  /** Settings, secrets and Chromium's caches. */
  readonly desktop: string
  readonly logs: string
}

/** The built files: `dist/`, which holds `electron/`, `renderer/` and `server/`. */
export const built = join(import.meta.dirname, '../..')

/**
 * Decides the folders before anything is read from them. The desktop's settings are not in the data folder, so that a data folder
 * that cannot be written can be reported. Each `PDS_DATA_DIR` has its own settings.
 */
export function chooseFolders(): Folders {
  const chosen = process.env.PDS_DATA_DIR && directory.parse(process.env.PDS_DATA_DIR)
  const standard = join(app.getPath('appData'), 'desktop-pds')
  const desktop = chosen ? join(standard, 'other-data', hash('sha256', chosen).slice(0, 16)) : standard
  // Electron refuses a path that does not exist.
  mkdirSync(desktop, { recursive: true, mode: 0o700 })
  app.setPath('userData', desktop)
  const logs = join(desktop, 'logs')
  app.setAppLogsPath(logs)
  return { data: chosen || defaultDataDir(), desktop, logs }
}
