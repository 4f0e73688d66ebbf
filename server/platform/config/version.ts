/** The name, version and home page of the program, from package.json. */
import { readFileSync } from 'node:fs'

/** The package file is three levels up in the sources (`server/platform/config`), four in the build. */
const manifest = import.meta.url.endsWith('.ts') ? '../../../package.json' : '../../../../package.json'

export const { name, version, homepage } = JSON.parse(
  readFileSync(new URL(manifest, import.meta.url), 'utf8'),
) as { name: string; version: string; homepage: string }
