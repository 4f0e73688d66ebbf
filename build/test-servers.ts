/**
 * Vitest's global setup: bundles the servers that tests start as processes. They start in a quarter of the time that the
 * sources take.
 */
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { once } from './once.ts'

const root = join(import.meta.dirname, '..')
/** As deep as the folders of the compiled server, whose files name others by relative paths. */
const folder = join(root, 'dist/test/servers/bundle')
const entries = [
  'test/crash/server.ts',
  'test/server/operation/moving/mover.ts',
  'test/support/server/peer-process.ts',
  ...globSync('server/**/*-worker.ts', { cwd: root }),
]

export async function setup(): Promise<void> {
  // Coverage is counted in the sources.
  if (process.env.PDS_COVERAGE_DIR) return
  process.env.PDS_TEST_SERVERS = folder
  const sources = [
    ...entries,
    'server/**/*.ts',
    'lexicons/generated/**/*.ts',
    'test/support/**/*.ts',
    'package-lock.json',
  ]
  await once({ sources, stamp: join(folder, 'stamp') }, bundle)
}

async function bundle(): Promise<void> {
  const { build } = await import('vite')
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    // SQLite is a file beside its package.
    ssr: { noExternal: true, external: ['sql.js'] },
    build: {
      ssr: true,
      outDir: folder,
      copyPublicDir: false,
      minify: false,
      target: 'node20',
      rolldownOptions: {
        input: Object.fromEntries(entries.map((file) => [basename(file, '.ts'), file])),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
        checks: { invalidAnnotation: false },
      },
    },
  })
}
