/** What the package has: its exports and the files that are started by their path. */
import { globSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The exports with code, and their source files. */
export const exported: Readonly<Record<string, string>> = {
  './testing': 'server/testing/testing.ts',
  './playwright': 'server/testing/playwright.ts',
}

/** The export that is a file of JSON. */
export const schema = 'server/testing/world.schema.json'

/** Packages that an export uses if the user has them. They are never in the bundle. */
export const peers: Readonly<Record<string, string>> = { '@playwright/test': '>=1.50', playwright: '>=1.50' }

/** Packages that others in the bundle load if they are there. They are for development here. */
export const optional: readonly string[] = ['supports-color']

/** The files of the bundle that have a path of their own, without extension, and their sources. */
export function entries(): Record<string, string> {
  const workers = globSync('server/**/*-worker.ts', { cwd: root })
  const files = ['server/main.ts', ...Object.values(exported), ...workers].map((file) =>
    file.replaceAll('\\', '/'),
  )
  return {
    commands: join(root, 'build/package/commands.ts'),
    ...Object.fromEntries(files.map((file) => [file.slice(0, -'.ts'.length), join(root, file)])),
  }
}
