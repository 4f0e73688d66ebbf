/**
 * Bundles the user interface into `dist/renderer/`. Skips the work if no source has changed, so that every npm script
 * can run it first.
 */
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const stamp = join(root, 'dist/renderer.stamp')

const sources = globSync(
  [
    'renderer/**/*',
    'lexicons/{com,app,chat}/**/*.json',
    'build/{vite.config,notices}.ts',
    'package-lock.json',
  ],
  {
    cwd: root,
  },
)
  .sort()
  .map((file) => `${file} ${statSync(join(root, file)).mtimeMs}`)
  .join('\n')

const isBuilt = existsSync(stamp) && existsSync(join(root, 'dist/renderer/index.html'))
if (!isBuilt || readFileSync(stamp, 'utf8') !== sources) {
  // Imported late: loading vite takes longer than the check above.
  const { build } = await import('vite')
  await build({ configFile: join(import.meta.dirname, 'vite.config.ts') })
  writeFileSync(stamp, sources)
}
