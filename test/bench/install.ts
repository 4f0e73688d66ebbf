/** Packages and native addons of a production install. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { table } from './table.ts'

const root = join(import.meta.dirname, '../..')

/** Counts by the lock file, because development packages are installed here too. */
export function benchInstall(): void {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const production = Object.entries<{ dev?: boolean; optional?: boolean }>(lock.packages)
    .filter(([path, { dev, optional }]) => path !== '' && !dev && !optional)
    .map(([path]) => join(root, path))
  const addons = production.flatMap((path) => globSync('**/*.node', { cwd: path }))
  table('a production install', [
    { '': 'packages', count: production.length, reference: 575 },
    { '': 'native addons', count: addons.length, reference: 4 },
  ])
}
