/** Where the desktop keeps its own things, and where the program's files are. */
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { app } from 'electron'
import { defaultDataDir } from '../server/config/config.ts'

export interface Folders {
  /** What the server keeps. */
  readonly data: string
  /** Settings, secrets and the browser's caches of the desktop. */
  readonly desktop: string
  readonly logs: string
}

/** The built files: `dist/`, which holds `electron/`, `renderer/` and `server/`. */
export const built = join(import.meta.dirname, '..')

/**
 * Decides the folders, before anything is read from them. The desktop's own settings are not in the data folder: they are needed to
 * say that the data folder cannot be written. `PDS_DATA_DIR` names another data folder, and that one has settings of its own.
 */
export function chooseFolders(): Folders {
  const chosen = process.env.PDS_DATA_DIR && resolve(process.env.PDS_DATA_DIR)
  const usual = join(app.getPath('appData'), 'desktop-pds')
  const desktop = chosen ? join(usual, 'other-data', shortHash(chosen)) : usual
  // Electron takes none that does not exist.
  mkdirSync(desktop, { recursive: true, mode: 0o700 })
  app.setPath('userData', desktop)
  const logs = join(desktop, 'logs')
  app.setAppLogsPath(logs)
  return { data: chosen || defaultDataDir(), desktop, logs }
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
