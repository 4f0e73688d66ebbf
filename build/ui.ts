/** Bundles the user interface into `dist/renderer/`, and compresses it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { compressFolder } from './compress.ts'
import { once } from './once.ts'

const root = join(import.meta.dirname, '..')
const built = join(root, 'dist/renderer')

await once(
  {
    sources: [
      'renderer/**/*',
      'lexicons/{com,app,chat}/**/*.json',
      'build/{vite.config,notices,compress}.ts',
      'package-lock.json',
    ],
    stamp: join(root, 'dist/renderer.stamp'),
    isDone: () => existsSync(join(built, 'index.html.br')),
  },
  async () => {
    // Imported late: loading vite takes longer than the check of the sources.
    const { build } = await import('vite')
    await build({ configFile: join(import.meta.dirname, 'vite.config.ts') })
    await compressFolder(built)
  },
)
