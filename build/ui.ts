/** Bundles the user interface into `dist/renderer/`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { once } from './once.ts'

const root = join(import.meta.dirname, '..')

await once(
  {
    sources: [
      'renderer/**/*',
      'lexicons/{com,app,chat}/**/*.json',
      'build/{vite.config,notices}.ts',
      'package-lock.json',
    ],
    stamp: join(root, 'dist/renderer.stamp'),
    isDone: () => existsSync(join(root, 'dist/renderer/index.html')),
  },
  async () => {
    // Imported late: loading vite takes longer than the check of the sources.
    const { build } = await import('vite')
    await build({ configFile: join(import.meta.dirname, 'vite.config.ts') })
  },
)
