/** Where Electron's binary is. Asking the package itself would start a download. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../node_modules/electron')

/** As the package finds it: `path.txt` names the file below `dist` or below `ELECTRON_OVERRIDE_DIST_PATH`. Undefined when it is not there. */
export function electronBinary(env = process.env): string | undefined {
  const note = join(folder, 'path.txt')
  const name = existsSync(note) ? readFileSync(note, 'utf8').trim() : undefined
  const override = env.ELECTRON_OVERRIDE_DIST_PATH
  if (!name && !override) return undefined
  const file = join(override ?? join(folder, 'dist'), name ?? 'electron')
  return existsSync(file) ? file : undefined
}
