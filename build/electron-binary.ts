/** Finds Electron's binary. Importing the `electron` package would start a download. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const electronPackage = join(import.meta.dirname, '../node_modules/electron')

/**
 * Returns the path of the binary, or undefined if it is not installed. `path.txt` names the file below `dist` or below
 * `ELECTRON_OVERRIDE_DIST_PATH`.
 */
export function electronBinary(): string | undefined {
  const note = join(electronPackage, 'path.txt')
  const name = existsSync(note) ? readFileSync(note, 'utf8').trim() : undefined
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH
  if (!name && !override) return undefined
  const file = join(override ?? join(electronPackage, 'dist'), name ?? 'electron')
  return existsSync(file) ? file : undefined
}
